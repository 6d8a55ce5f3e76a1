import { isExact, type Json } from '@amodal/kernel'
import { isList } from '../json.ts'

/**
 * Whether a database stores these texts unchanged: without U+0000, and without half of a surrogate
 * pair.
 *
 * @param value names of fields count as well
 *
 * @example
 * isStorable({ title: 'Größe' }) // true
 * isStorable({ title: 'a\0b' }) // false
 */
export function isStorable(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null || isExact(value)) return true
  return isList(value)
    ? value.every(isStorable)
    : Object.entries(value).every(
        ([name, inner]: [string, Json]) => isStorable(name) && isStorable(inner),
      )
}

/** What an error says of a value that is not storable. */
export const NOT_STORABLE =
  'a text holds a character that cannot be stored: U+0000, or half of a surrogate pair'
