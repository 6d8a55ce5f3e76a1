import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import {
  err,
  failure,
  messageOf,
  ok,
  sessionId,
  tenantId,
  type Failure,
  type Result,
} from '@amodal/sdk'
import { DRAFTS, EXTENSION, placeOf, safeName } from './place.ts'
import { Entry, Header, jsonOf, Trailer } from './record.ts'

/** The places of all files, in no order; of one tenant where it is named. */
export async function* placesIn(
  folder: string,
  tenant: string | undefined,
): AsyncGenerator<string> {
  const start = tenant === undefined ? folder : join(folder, safeName(tenant))
  const opened = await opendir(start, { recursive: true }).catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  })
  if (!opened) return
  for await (const one of opened) {
    const place = relative(folder, join(one.parentPath, one.name)).split(sep).join('/')
    if (one.isFile() && one.name.endsWith(EXTENSION) && !place.startsWith(`${DRAFTS}/`)) yield place
  }
}

/**
 * The lines of a file.
 *
 * @throws the error of the file system, or of what unpacks it
 */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const packed = createReadStream(path)
  const text = createGunzip()
  packed.on('error', (cause) => text.destroy(cause))
  try {
    // An error of a stream ends no reader of lines by itself.
    const failed = new Promise<never>((_, reject) => text.once('error', reject))
    failed.catch(() => undefined)
    const lines = createInterface({ input: packed.pipe(text), crlfDelay: Infinity })
    const next = lines[Symbol.asyncIterator]()
    for (;;) {
      const line = await Promise.race([next.next(), failed])
      if (line.done === true) break
      yield line.value
    }
    if (text.errored) throw text.errored
  } finally {
    packed.destroy()
    text.destroy()
  }
}

/** The first line. */
export async function readHeader(path: string): Promise<Result<Header, Failure>> {
  try {
    for await (const line of linesOf(path)) {
      const header = Header.safeParse(jsonOf(line))
      return header.success ? ok(header.data) : unreadable(path, 'its first line is no header')
    }
    return unreadable(path, 'it is empty')
  } catch (cause) {
    return unreadable(path, messageOf(cause), cause)
  }
}

/** A file that holds what was written. */
export interface Verified {
  readonly header: Header
  readonly entries: number
  readonly sha256: string
}

/** Reads all of a file, and compares it with its last line and with where it stands. */
export async function verifyFile(path: string, place: string): Promise<Result<Verified, Failure>> {
  try {
    const { header, last, ...read } = await readAll(path)
    if (!header) return unreadable(path, 'its first line is no header')
    if (!last) return unreadable(path, 'it is cut off: its last line is missing')
    if (read.sha256 !== last.sha256 || read.entries !== last.entries)
      return unreadable(path, `it was changed: its SHA-256 is ${read.sha256}, not ${last.sha256}`)
    const { tenant, session, updated_at: at } = header
    const ref = { tenant: tenantId(tenant), session: sessionId(session) }
    const own = placeOf(ref, Date.parse(at))
    return own === place ? ok({ header, ...read }) : unreadable(path, `it belongs at ${own}`)
  } catch (cause) {
    return unreadable(path, messageOf(cause), cause)
  }
}

interface ReadFile {
  readonly header: Header | undefined
  readonly last: Trailer | undefined
  readonly entries: number
  /** Of all lines but the last. */
  readonly sha256: string
}

async function readAll(path: string): Promise<ReadFile> {
  const hash = createHash('sha256')
  let header: Header | undefined
  let before: string | undefined
  let entries = 0
  for await (const line of linesOf(path)) {
    if (before === undefined) header = Header.safeParse(jsonOf(line)).data
    else hash.update(`${before}\n`)
    if (isEntry(line)) entries++
    before = line
  }
  const last = Trailer.safeParse(jsonOf(before ?? '')).data
  return { header, last, entries, sha256: hash.digest('hex') }
}

const isEntry = (line: string): boolean => Entry.safeParse(jsonOf(line)).success

const unreadable = (path: string, why: string, cause?: unknown): Result<never, Failure> =>
  err(failure('UNREADABLE', `${path}: ${why}`, { cause }))
