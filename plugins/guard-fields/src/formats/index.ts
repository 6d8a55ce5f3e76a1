import { wholeDecoded } from '../decoded.ts'
import { readEvents, readJson, readJsonSequence } from './json-text.ts'
import { readMarkup } from './markup.ts'
import { readMultipart } from './multipart.ts'
import { readInline, readLines, readYaml } from './pairs.ts'
import { readSql } from './sql.ts'
import { readDrawn, readSeparated } from './tables.ts'
import type { Place, Reader, Understood } from './understood.ts'

export { isAcknowledgement, type Understood } from './understood.ts'
export { isHeader } from './header.ts'

/** The first that understands a text counts; those that are certain come first. */
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
 * Reads a text as what it is; `undefined` where it is none of the forms that say what their values
 * are.
 */
export function understand(
  text: string,
  { isRestricted, whole }: Omit<Place, 'read'>,
  layer = 0,
): Understood | undefined {
  if (layer > MOST_LAYERS || text.trim() === '') return undefined
  const place: Place = {
    isRestricted,
    whole,
    read: (inner) => understand(inner, { isRestricted, whole }, layer + 1),
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
function readEncoded(text: string, place: Place): Understood | undefined {
  const decoded = wholeDecoded(text)
  return decoded === undefined ? undefined : within(decoded, place, (inner) => inner)
}

function within(
  text: string,
  { read }: Place,
  render: (inner: string) => string,
): Understood | undefined {
  const found = read(text)
  return found && { value: found.value, render: (clean) => render(found.render(clean)) }
}
