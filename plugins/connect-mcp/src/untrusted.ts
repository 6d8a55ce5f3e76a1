import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'

/**
 * Control characters but newline and tab, and those that are not seen: direction marks, zero
 * widths, tags.
 */
const UNSEEN =
  /[\u{0}-\u{8}\u{B}-\u{1F}\u{7F}-\u{9F}\u{AD}\u{200B}-\u{200F}\u{2028}-\u{202E}\u{2060}-\u{206F}\u{FEFF}\u{FFF9}-\u{FFFB}\u{E0000}-\u{E007F}]/gu

/** Takes known secrets out of a text. */
export type Mask = (text: string) => string

/** For texts that are masked later, where they are stored and emitted. */
export const MASKED_LATER: Mask = (text) => text

/**
 * A text of a server as it may be shown: without what cannot be seen, without secrets that it
 * repeats, and no longer than `limit` characters. In this order: what cannot be seen could stand
 * inside of a secret, and a cut could leave the beginning of one.
 */
export function shown(text: string, limit: number, mask: Mask): string {
  const clean = mask(text.replace(UNSEEN, ''))
  return clean.length > limit ? ellipsis(clean, limit - 1) : clean
}

/**
 * The same for every text of a schema, names of properties left as they are: they are what the
 * server is sent.
 */
export function shownSchema(schema: JsonObject, limit: number, mask: Mask): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => name !== '$schema')
      .map(([name, value]) => [name, shownJson(value, limit, mask)]),
  )
}

function shownJson(value: Json, limit: number, mask: Mask): Json {
  if (typeof value === 'string') return shown(value, limit, mask)
  if (isList(value)) return value.map((item) => shownJson(item, limit, mask))
  return isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, shownJson(item, limit, mask)]),
      )
    : value
}

/**
 * Whether a name in it holds a secret: it would have to be sent as it is, so it cannot be masked.
 */
export function namesSecret(value: Json, mask: Mask): boolean {
  if (isList(value)) return value.some((item) => namesSecret(item, mask))
  return (
    isObject(value) &&
    Object.entries(value).some(
      ([name, item]) =>
        mask(name.replace(UNSEEN, '')) !== name.replace(UNSEEN, '') || namesSecret(item, mask),
    )
  )
}
