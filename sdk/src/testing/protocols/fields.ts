import { isRecord } from '../model-protocol.ts'

/** An object's fields, or none. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) ? value : {}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** A text, or the texts of a list of parts. */
export const textsOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : listOf(value)
        .map((part) => fieldsOf(part).text)
        .filter((text) => typeof text === 'string')
        .join('')
