import { canonical, isObject, type Json, type JsonObject, trySync } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'

/** What the columns of a row say. */
export interface LineColumns {
  readonly tenant: string
  readonly n: number
  readonly key: string
  readonly session: string | null
}

const COLUMNS: ReadonlySet<string> = new Set(['tenant', 'n', 'key', 'session'])

/**
 * The text of a line without what its columns say, which is a third of it. What is hashed is the
 * whole text.
 *
 * @param said all that the line says
 */
export const storedText = (said: JsonObject): string =>
  canonical(shortened(withoutColumns(said), said))

const withoutColumns = (said: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(said).filter(([name]) => !COLUMNS.has(name)))

/** The time as a number, and 0 for a run whose name the key begins with. */
function shortened(text: JsonObject, { at, run, key }: JsonObject): JsonObject {
  const time = typeof at === 'string' ? Date.parse(at) : NaN
  return {
    ...text,
    ...(at !== undefined && timeText(time) === at && { at: time }),
    ...(run !== undefined && run === runIn(key) && { run: 0 }),
  }
}

/** What {@link shortened} has shortened. */
const lengthened = (text: JsonObject, key: string): JsonObject => {
  const [at, run] = [timeText(text['at']), runIn(key)]
  return {
    ...text,
    ...(at !== undefined && { at }),
    ...(text['run'] === 0 && run !== undefined && { run }),
  }
}

const LAST_TIME = 8_640_000_000_000_000
const timeText = (time: Json | undefined): string | undefined =>
  typeof time === 'number' && Math.abs(time) <= LAST_TIME ? new Date(time).toISOString() : undefined

/** `run_1:start` is of `run_1`. */
const runIn = (key: Json | undefined): string | undefined =>
  typeof key === 'string' && key.includes(':') ? key.slice(0, key.indexOf(':')) : undefined

/**
 * The whole text of a stored line. Lines of earlier releases are stored whole, or without their
 * columns only. A text that is not as a release has written it was changed: its columns stand in
 * front, so that it says what it said, and its hash is wrong.
 */
export function wholeText(stored: string, columns: LineColumns): string {
  if (stored === '') return stored
  const read = trySync(
    () => parseExact(stored) as Json,
    () => undefined,
  )
  if (!read.ok || !isObject(read.value)) return stored
  if ('tenant' in read.value) return stored
  const { tenant, n, key, session } = columns
  const ofColumns = { tenant, n, key, ...(session !== null && { session }) }
  const said = { ...lengthened(read.value, key), ...ofColumns }
  return storedText(said) === stored || canonical(withoutColumns(said)) === stored
    ? canonical(said)
    : `${JSON.stringify(ofColumns).slice(0, -1)},${stored.trimStart().slice(1)}`
}
