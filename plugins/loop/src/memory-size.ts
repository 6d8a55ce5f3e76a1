/** Bytes that an object, an array or a string takes before it holds anything. */
const HEADER = 40
/** Bytes of one property, or one element. */
const FIELD = 16
/** Characters that are looked at to tell how wide those of a text are. */
const SAMPLE = 4_096
const WIDE = /[^\0-\u00ff]/

/**
 * About how many bytes a value takes in memory, without making a text of it: lengths are added up.
 * A text with a character beyond Latin-1 takes two bytes for each (seen where it is among the first
 * 4,096).
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
