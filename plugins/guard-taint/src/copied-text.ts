import { isList, isObject, type Json } from '@amodal/sdk'
import { isNumber } from '@amodal/sdk/data'
import type { Source } from './corpus.ts'
import type { Known } from './taint.ts'

/** Consecutive words that two texts share if one copies the other. */
const RUN = 8
/** Characters from which on a text is specific enough to have an origin. */
const SHORTEST = 6

export interface Text {
  readonly field: string
  readonly value: string
}

/** The texts of a value, each with its place. */
export function textsIn(value: Json, field: string): readonly Text[] {
  if (isList(value)) return value.flatMap((item, at) => textsIn(item, `${field}[${at}]`))
  if (isObject(value))
    return Object.entries(value).flatMap(([key, item]) => textsIn(item, `${field}.${key}`))
  return typeof value === 'string' || isNumber(value) ? [{ field, value: String(value) }] : []
}

/**
 * The result that a text, or a part of it, was copied from; none if trusted text holds the same.
 *
 * @param except a connection whose results do not count: it knows them
 */
export function copiedFrom(
  text: string,
  { own, session: { person, outside } }: Known,
  except?: string,
): Source | undefined {
  if (text.length < SHORTEST) return undefined
  const words = text.split(/\s+/).filter((word) => word !== '')
  const last = Math.max(0, words.length - RUN)
  for (let at = 0; at <= last; at = at === last ? last + 1 : Math.min(last, at + RUN / 2)) {
    const run = words.slice(at, at + RUN).join(' ')
    const found = outside.find(run)
    if (found && found.connection !== except && !person.find(run) && !own.find(run)) return found
  }
  return undefined
}
