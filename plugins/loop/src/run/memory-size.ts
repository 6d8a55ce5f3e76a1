/** The bytes of an empty object, array or string. */
const HEADER = 40
/** The bytes of one property or element. */
const FIELD = 16
/** Characters that are inspected for the width of a text. */
const SAMPLE = 4_096
const WIDE = /[^\0-\u00ff]/

/**
 * Estimates the memory of a value from lengths, without serializing it. A text takes two bytes per
 * character if one of its first 4,096 characters is beyond Latin-1.
 */
export function memorySize(value: unknown): number {
  if (typeof value === 'string')
    return (
      HEADER +
      value.length * (WIDE.test(value.length > SAMPLE ? value.slice(0, SAMPLE) : value) ? 2 : 1)
    )
  if (typeof value !== 'object' || value === null) return 0
  if (value instanceof Uint8Array) return HEADER + value.byteLength
  let size = HEADER
  for (const part of Array.isArray(value) ? value : Object.values(value))
    size += FIELD + memorySize(part)
  return size
}
