import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'

/** Control characters but newline and tab, and those that are not seen: direction marks, zero widths, tags. */
const UNSEEN = /[\u{0}-\u{8}\u{B}-\u{1F}\u{7F}-\u{9F}\u{AD}\u{200B}-\u{200F}\u{2028}-\u{202E}\u{2060}-\u{206F}\u{FEFF}\u{FFF9}-\u{FFFB}\u{E0000}-\u{E007F}]/gu

/** A text of a server as it may be shown: without what cannot be seen, and no longer than `limit` characters. */
export function shown(text: string, limit: number): string {
  const clean = text.replace(UNSEEN, '')
  return clean.length > limit ? `${clean.slice(0, limit - 1)}…` : clean
}

/** The same for every text of a schema, names of properties left as they are: they are what the server is sent. */
export function shownSchema(schema: JsonObject, limit: number): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema').map(([name, value]) => [name, shownJson(value, limit)]))
}

function shownJson(value: Json, limit: number): Json {
  if (typeof value === 'string') return shown(value, limit)
  if (isList(value)) return value.map((item) => shownJson(item, limit))
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shownJson(item, limit)])) : value
}
