import { createHash } from 'node:crypto'
import type { Json } from '../messages.ts'

/** JSON with sorted keys and no spaces: equal values give equal text (RFC 8785 for the values we keep). */
export function canonical(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const object = value as { readonly [key: string]: Json | undefined } // narrowed: not null, no array
  const keys = Object.keys(object).sort()
  return `{${keys.flatMap((key) => { const item = object[key]; return item === undefined ? [] : [`${JSON.stringify(key)}:${canonical(item)}`] }).join(',')}}`
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
export const hashOf = (value: Json): string => sha256(canonical(value))

/** Values without NUL and lone surrogates, which a database refuses or mangles. */
export function clean<T>(value: T): T {
  const text = JSON.stringify(value)
  // JSON escapes exactly the characters we look for; most entries have none and are returned as they are.
  if (!text.includes('\\u')) return value
  return JSON.parse(text, (_key, item: unknown) => (typeof item === 'string' ? item.toWellFormed().replaceAll('\0', '') : item)) as T // same shape, other characters
}
