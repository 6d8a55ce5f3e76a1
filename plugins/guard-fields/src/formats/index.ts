import { wholeDecoded } from '../decoded.ts'
import { readEvents, readJson, readJsonSequence } from './json-text.ts'
import { readMarkup } from './markup.ts'
import { readMultipart } from './multipart.ts'
import { readInline, readLines, readYaml } from './pairs.ts'
import { readSql } from './sql.ts'
import { readDrawn, readSeparated } from './tables.ts'
import type { Place, Reader, ParsedText } from './parsed-text.ts'

export { isAcknowledgement, type ParsedText } from './parsed-text.ts'
export { isHeader } from './header.ts'

/** Parsers in order of certainty; the first that accepts a text wins. */
const READERS: readonly Reader[] = [
  readJson,
  readJsonSequence,
  readEncoded,
  readMarkup,
  readMultipart,
  readEvents,
  readSql,
  readDrawn,
  readSeparated,
  readInline,
  readLines,
  readYaml,
]
/** Encodings inside of encodings that are still read. */
const MOST_LAYERS = 4

/**
 * Parses a text in the first format that fits; `undefined` if it has none of the formats that name
 * their values.
 */
export function parseText(
  text: string,
  { isRestricted, whole }: Omit<Place, 'read'>,
  layer = 0,
): ParsedText | undefined {
  if (layer > MOST_LAYERS || text.trim() === '') return undefined
  const place: Place = {
    isRestricted,
    whole,
    read: (inner) => parseText(inner, { isRestricted, whole }, layer + 1),
  }
  for (const read of READERS) {
    const found = read(text, place)
    // A text in quotes is another text.
    if (found && typeof found.value === 'string')
      return within(found.value, place, (inner) => JSON.stringify(inner))
    if (found) return found
  }
  return undefined
}

/** Base64 and hexadecimal of a text that is read. */
function readEncoded(text: string, place: Place): ParsedText | undefined {
  const decoded = wholeDecoded(text)
  return decoded === undefined ? undefined : within(decoded, place, (inner) => inner)
}

function within(
  text: string,
  { read }: Place,
  render: (inner: string) => string,
): ParsedText | undefined {
  const found = read(text)
  return found && { value: found.value, render: (clean) => render(found.render(clean)) }
}
