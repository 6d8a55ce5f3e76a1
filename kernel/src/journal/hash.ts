import { hash } from 'node:crypto'
import { isExact, type Json } from '../json.ts'

/**
 * JSON with sorted keys and no spaces: equal values give equal text (RFC 8785 for the values of a
 * journal).
 */
export function canonical(value: Json): string {
  if (value === null || typeof value !== 'object' || isExact(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  // narrowed: not null, no array
  const object = value as { readonly [key: string]: Json | undefined }
  let fields = ''
  for (const key of Object.keys(object).sort()) {
    const item = object[key]
    if (item !== undefined)
      fields += `${fields === '' ? '' : ','}${JSON.stringify(key)}:${canonical(item)}`
  }
  return `{${fields}}`
}

export const sha256 = (text: string): string => hash('sha256', text)
export const hashOf = (value: Json): string => sha256(canonical(value))
