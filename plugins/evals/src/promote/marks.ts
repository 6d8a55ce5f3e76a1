import { isList, isObject, type Json } from '@amodal/sdk'

/** What stands in the place of values that somebody may not read. */
const HANDLE = /\[redacted:[\w.-]{1,120}:[\da-f]{4,32}\]/
const MARK = /\[REDACTED\]|\[MASKED\]|\[withheld[^\]]{0,80}\]/
const CUT = /\n… \[cut: \d+ characters, \d+ kept\]$/

/** Whether any text of a value, names of fields included, passes a test. */
export function someText(value: Json, test: (text: string) => boolean): boolean {
  if (typeof value === 'string') return test(value)
  if (isList(value)) return value.some((inner) => someText(inner, test))
  return (
    isObject(value) &&
    Object.entries(value).some(([name, inner]) => test(name) || someText(inner, test))
  )
}

/** Whether a text stands for a value that was taken out: a handle, or a mark. */
export const isMasked = (text: string): boolean => HANDLE.test(text) || MARK.test(text)

export const hasHandle = (text: string): boolean => HANDLE.test(text)

/** Whether the product has cut a text off. */
export const isCut = (text: string): boolean => CUT.test(text)

/**
 * Arguments without the fields whose values were taken out: a stub that matches the others answers
 * a call whatever it has there.
 */
export function withoutMasked(value: Json): Json {
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name, inner]) =>
          inner !== null && !isMasked(name) && (isObject(inner) || !someText(inner, isMasked)),
      )
      .map(([name, inner]) => [name, withoutMasked(inner)] as const),
  )
}
