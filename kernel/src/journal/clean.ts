import { isExact } from '../json.ts'

/** How JSON writes NUL and lone surrogates. */
const SUSPECT = /\\u(?:0000|d[89a-f])/

/**
 * Values without NUL and lone surrogates, which a database refuses or mangles. Most have none and
 * are returned as they are.
 */
export function clean<T>(value: T): T {
  // same shape, other characters
  return SUSPECT.test(JSON.stringify(value)) ? (cleaned(value) as T) : value
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '')
  if (Array.isArray(value)) return value.map(cleaned)
  if (typeof value !== 'object' || value === null || isExact(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleaned(key), cleaned(item)]),
  )
}
