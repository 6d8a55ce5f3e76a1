import {
  err,
  failure,
  ok,
  timeLimit,
  type Failure,
  type PrincipalId,
  type Result,
  type Row,
  type Statement,
  type TenantDatabase,
  type TenantId,
} from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import type { NewClaim } from './asset-records.ts'
import { AssetsFull } from './errors.ts'
import {
  ADD_CHUNK,
  ADD_CONTENT,
  CANCEL_REMOVAL,
  CLAIM,
  CONTENT,
  PLAN_REMOVAL,
  TOTAL,
} from './statements.ts'
import type { AssetBytes } from './tokens.ts'

type Run = (statement: Statement) => Promise<readonly Row[]>

/** Where the files of one tenant are stored. */
export interface FilePlaces {
  readonly tenant: TenantId
  readonly database: TenantDatabase
  /** Bytes of all files that the tenant may have. */
  readonly maxBytes: number
  /** For the bytes of new files; the database where it is left out. */
  readonly outside: AssetBytes | undefined
}

/** A file that somebody puts down. */
export interface NewFile {
  readonly principal: PrincipalId
  readonly claim: NewClaim
  readonly bytes: Uint8Array
}

/** Bytes of one row. */
export const CHUNK_BYTES = 512 * 1_024
/** ms for one file. */
const WRITE_MS = 30_000
/** ms after which bytes that no row names are removed: longer than writing them and their row. */
const UNCLAIMED_MS = 600_000
/** How often a file is written whose bytes were removed meanwhile. */
const MAX_TRIES = 3

/**
 * Stores the bytes of a file, unless they are there, and the claim of its sender.
 *
 * @returns `ASSETS_FULL` where the tenant has no room for it
 */
export async function putFile(
  file: NewFile,
  places: FilePlaces,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  const limit = timeLimit(WRITE_MS, 'storing a file', signal)
  const { outside } = places
  if (!outside) {
    const put = await transaction(places, (run) => insertContent(run, file, places), limit)
    return put.ok ? ok(undefined) : put
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const put = await putOutside(file, places, outside, limit)
    if (!put.ok || put.value) return put.ok ? ok(undefined) : put
  }
  return err(failure('STORE_FAILED', 'the file was removed each time that it was written'))
}

/** Content and claim in one transaction, with the bytes in rows. */
async function insertContent(
  run: Run,
  { principal, claim, bytes }: NewFile,
  { maxBytes }: FilePlaces,
): Promise<void> {
  const { asset } = claim
  const [added] = await runIn(run, ADD_CONTENT({ asset, bytes: bytes.byteLength, outside: false }))
  if (added?.fresh) {
    await checkRoom(run, maxBytes)
    for (let n = 0; n * CHUNK_BYTES < bytes.byteLength; n++) {
      const data = bytes.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES)
      await runIn(run, ADD_CHUNK({ asset, n, data }))
    }
  }
  await runIn(run, CLAIM({ ...claim, principal }))
}

/**
 * Writes the bytes outside of the database, where no transaction reaches: their removal is planned
 * before, and cancelled together with the row that names them. Whatever dies between the two leaves
 * bytes that are removed later. Bytes that are there are written again, which repairs damaged ones.
 *
 * @returns `false` where the bytes were removed between the two, so that it has to be done again
 */
async function putOutside(
  file: NewFile,
  places: FilePlaces,
  outside: AssetBytes,
  limit: AbortSignal,
): Promise<Result<boolean, Failure>> {
  const { principal, claim, bytes } = file
  const { asset } = claim
  const { tenant, maxBytes } = places
  const planned = await transaction(
    places,
    async (run) => {
      const [content] = await runIn(run, CONTENT({ asset }))
      if (content?.outside === false) return 'inside' as const
      if (!content) await checkRoom(run, maxBytes, bytes.byteLength)
      await runIn(run, PLAN_REMOVAL({ asset, delayMs: UNCLAIMED_MS }))
      return 'outside' as const
    },
    limit,
  )
  if (!planned.ok) return planned
  if (planned.value === 'outside') {
    const written = await outside.write({ tenant, asset }, bytes, limit)
    if (!written.ok) return written
  }
  const put = await transaction(
    places,
    async (run) => {
      if (planned.value === 'inside') return insertContent(run, file, places)
      const [added] = await runIn(
        run,
        ADD_CONTENT({ asset, bytes: bytes.byteLength, outside: true }),
      )
      const cancelled = await runIn(run, CANCEL_REMOVAL({ asset }))
      if (added?.fresh && cancelled.length === 0) throw new RemovedMeanwhile()
      if (added?.fresh) await checkRoom(run, maxBytes)
      await runIn(run, CLAIM({ ...claim, principal }))
    },
    limit,
  )
  return put.ok ? ok(put.value !== 'removed') : put
}

/** Ends a transaction whose bytes are not there any more. */
class RemovedMeanwhile extends Error {}
/** Ends a transaction for which there is no room. */
class Full extends Error {
  readonly failure: Failure
  constructor(reason: Failure) {
    super(reason.message)
    this.failure = reason
  }
}

/** @param more bytes that are to come; those of rows that were added count already */
async function checkRoom(run: Run, maxBytes: number, more = 0): Promise<void> {
  const [total] = await runIn(run, TOTAL())
  const used = (total?.bytes ?? 0) + more
  if (used > maxBytes)
    throw new Full(AssetsFull(`the files would take ${used} of ${maxBytes} bytes (maxTenantBytes)`))
}

/** A transaction that may end for one of the reasons above. */
async function transaction<T>(
  { database }: FilePlaces,
  work: (run: Run) => Promise<T>,
  limit: AbortSignal,
): Promise<Result<T | 'removed', Failure>> {
  let ended: Full | RemovedMeanwhile | undefined
  const done = await database.transaction(async (run) => {
    ended = undefined // of a try before
    try {
      return await work(run)
    } catch (cause) {
      if (cause instanceof Full || cause instanceof RemovedMeanwhile) ended = cause
      throw cause
    }
  }, limit)
  if (ended instanceof Full) return err(ended.failure)
  return ended ? ok('removed') : done
}
