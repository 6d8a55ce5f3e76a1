import type { Json, JsonObject } from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'

/** Characters of a value that are shown at first. */
const MOST_CHARS = 20_000

/**
 * A value with its size: `value` where it is small or all of it is wanted, otherwise the beginning
 * of its text, with `cut`.
 */
export function shownValue(value: Json, full: boolean): JsonObject {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const bytes = Buffer.byteLength(text)
  return full || text.length <= MOST_CHARS
    ? { bytes, value }
    : { bytes, cut: true, text: textStart(text, MOST_CHARS) }
}
