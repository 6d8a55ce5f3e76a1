import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import {
  err,
  type ArchivableSession,
  type ArchivedSession,
  type Failure,
  messageOf,
  ok,
  type Result,
  type SessionArchive,
} from '@amodal/sdk'
import { ArchiveFailed } from './errors.ts'
import { readHeader } from './file-reader.ts'
import { DRAFTS, pathOf, placeOf, safeName } from './place.ts'
import { entryLine, headerOf, writerOf } from './record.ts'

/** ms after which nobody is at a draft any more. */
const OLD_DRAFT_MS = 3_600_000
const [FOLDER_MODE, FILE_MODE] = [0o700, 0o600]

/**
 * A file for each session. It is written beside its place, and moved there once all of it is on the
 * disk: what stands at a place is whole. Another instance that does the same writes the same bytes.
 */
export class FileArchive implements SessionArchive {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  async keep(
    session: ArchivableSession,
    signal: AbortSignal,
  ): Promise<Result<ArchivedSession, Failure>> {
    const place = placeOf(session, session.row.updatedAt)
    const path = pathOf(this.folder, place)
    const draft = join(this.folder, DRAFTS, `${safeName(session.session)}.${randomUUID()}`)
    try {
      await mkdir(dirname(draft), { recursive: true, mode: FOLDER_MODE })
      const sha256 = await writeDraft(draft, session, signal)
      const taken = await this.#taken(path, session)
      if (taken !== undefined) return err(ArchiveFailed(`${path}: ${taken}`))
      await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE })
      await rename(draft, path)
      await this.#syncFolders(dirname(path))
      return ok({ place, sha256 })
    } catch (cause) {
      return err(
        ArchiveFailed(`${session.session} cannot be archived to ${path}: ${messageOf(cause)}`, {
          cause,
        }),
      )
    } finally {
      await rm(draft, { force: true }).catch(() => undefined) // of no use, and removed later
    }
  }

  /** Removes what processes that were killed have left. */
  async removeDrafts(): Promise<void> {
    const folder = join(this.folder, DRAFTS)
    const names = await readdir(folder).catch(() => [])
    for (const name of names) {
      const path = join(folder, name)
      const found = await stat(path).catch(() => undefined) // its writer was faster
      if (found && found.mtimeMs < Date.now() - OLD_DRAFT_MS) await rm(path, { force: true })
    }
  }

  /** Why the place must not be written to. */
  async #taken(path: string, { tenant, session, row }: ArchivableSession) {
    const found = await stat(path).catch(() => undefined)
    if (!found) return undefined
    const header = await readHeader(path)
    if (!header.ok) return undefined // damaged: what is written now takes its place
    if (header.value.tenant !== tenant || header.value.session !== session)
      return `the file of another session, ${header.value.session}, is in its place`
    return header.value.head > row.head
      ? `a longer history of it is archived already, with ${header.value.head} entries`
      : undefined
  }

  /** Each folder that may be new, so that its name outlives a power failure. */
  async #syncFolders(innermost: string): Promise<void> {
    if (process.platform === 'win32') return // has no such thing
    for (let at = innermost; at.length >= this.folder.length; at = dirname(at)) {
      const handle = await open(at, 'r')
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
    }
  }
}

/** @returns the SHA-256 of its text without the last line */
async function writeDraft(
  path: string,
  session: ArchivableSession,
  signal: AbortSignal,
): Promise<string> {
  const others = await writersOf(session, signal)
  const hash = createHash('sha256')
  let entries = 0
  let sha256 = ''
  async function* lines(): AsyncGenerator<string> {
    const header = `${headerOf(session, others)}\n`
    hash.update(header)
    yield header
    for await (const page of pagesOf(session, signal)) {
      const text = page.map((entry) => `${entryLine(entry)}\n`).join('')
      entries += page.length
      hash.update(text)
      yield text
    }
    sha256 = hash.digest('hex')
    yield `${JSON.stringify({ entries, sha256 })}\n`
  }
  const file = await open(path, 'wx', FILE_MODE)
  try {
    // Not by a stream of the file: it would have to end before the file can be synced.
    const write = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const chunk of chunks) await file.writeFile(chunk)
    }
    await pipeline(Readable.from(lines()), createGzip(), write, { signal })
    await file.sync()
  } finally {
    await file.close()
  }
  return sha256
}

async function writersOf(
  session: ArchivableSession,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const writers = new Set<string>()
  for await (const page of pagesOf(session, signal)) {
    for (const { body } of page) {
      const writer = writerOf(body)
      if (writer !== undefined) writers.add(writer)
    }
  }
  writers.delete(session.row.principal)
  return [...writers].sort()
}

/** @throws where a page cannot be read */
async function* pagesOf(session: ArchivableSession, signal: AbortSignal) {
  for await (const page of session.entries(signal)) {
    if (!page.ok) throw new Error(page.error.message, { cause: page.error })
    yield page.value
  }
}
