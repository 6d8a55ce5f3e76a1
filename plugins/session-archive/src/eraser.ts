import { rm } from 'node:fs/promises'
import {
  err,
  messageOf,
  ok,
  type ErasedSession,
  type Eraser,
  type EraserRun,
  type ErasureRequest,
} from '@amodal/sdk'
import { ArchiveFailed } from './errors.ts'
import { placesIn, readHeader } from './file-reader.ts'
import { pathOf } from './place.ts'
import type { Header } from './record.ts'

/** Files between two statements: a transaction in which nothing happens is ended by the server. */
const FILES = 200
const PING = { sql: 'select 1', parameters: [] }

interface Found {
  readonly path: string
  readonly header: Header
}

type Request = ErasureRequest & { readonly sessions: readonly ErasedSession[] }

/**
 * Removes files of a person: those of their sessions, of what was forked from these, and of what
 * worked for them. They go after the transaction is committed.
 */
export function archiveEraser(folder: string): Eraser {
  let gone: readonly string[] = []
  return {
    async erase(request, run) {
      gone = []
      const files: Found[] = []
      try {
        for await (const file of filesOf(folder, request, run)) files.push(file)
      } catch (cause) {
        return err(ArchiveFailed(`${folder} cannot be read: ${messageOf(cause)}`, { cause }))
      }
      const own = ownedBy(request, files)
      gone = own.map(({ path }) => path)
      const kept = new Set(gone)
      const unknown = files.filter(
        ({ path, header }) => !kept.has(path) && header.others.includes(request.principal),
      )
      return ok({ removed: own.length, unknown: unknown.length, tables: [] })
    },
    async erased() {
      try {
        for (const path of gone) await rm(path, { force: true })
        return ok(undefined)
      } catch (cause) {
        return err(ArchiveFailed(`a file cannot be removed: ${messageOf(cause)}`, { cause }))
      }
    },
  }
}

async function* filesOf(
  folder: string,
  { tenant }: Request,
  run: EraserRun,
): AsyncGenerator<Found> {
  let read = 0
  for await (const place of placesIn(folder, tenant)) {
    const path = pathOf(folder, place)
    const header = await readHeader(path)
    if (!header.ok) throw new Error(`${header.error.message}; nothing was erased`)
    yield { path, header: header.value }
    if (++read % FILES === 0) await run(PING)
  }
}

/** Until nothing more is found: a fork may have forks. */
function ownedBy({ principal, sessions }: Request, files: readonly Found[]): readonly Found[] {
  const known = new Set(sessions.map(({ tenant, session }) => keyOf(tenant, session)))
  const own = new Set<Found>()
  for (let before = -1; before < own.size;) {
    before = own.size
    for (const file of files) {
      const { tenant, session, parent, principal: owner } = file.header
      const isOwn =
        owner === principal ||
        known.has(keyOf(tenant, session)) ||
        (parent !== undefined && known.has(keyOf(tenant, parent)))
      if (!isOwn) continue
      own.add(file)
      known.add(keyOf(tenant, session))
    }
  }
  return [...own]
}

const keyOf = (tenant: string, session: string): string => JSON.stringify([tenant, session])
