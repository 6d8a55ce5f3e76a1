import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { err, failure, messageOf, ok, type Failure, type Result } from '@amodal/sdk'

/** What a holder writes beside the lock, for whoever meets it. */
export interface LockHolder {
  readonly pid: number
  readonly host: string
  /** Where its server listens, if it says so. */
  readonly address?: string
  /** ISO 8601. */
  readonly startedAt: string
}

const LOCK = 'amodal.lock'
const HOLDER = 'amodal.lock.json'
/** SQLITE_BUSY */
const BUSY = 5

/** A data folder that this process alone may open. */
export interface FolderLock { release(): void }

/**
 * Takes a folder for this process, or fails at once: `DATABASE_LOCKED` names who holds it, `UNREADABLE` a folder
 * that cannot be written. The lock belongs to the operating system (SQLite's lock on a file), so a killed process
 * leaves none behind. Nothing else may open the lock file in this process: closing it would drop the lock.
 */
export function lockFolder(folder: string, address: string | undefined): Result<FolderLock, Failure> {
  let database: DatabaseSync | undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    database = new DatabaseSync(join(folder, LOCK), { timeout: 0 })
    database.exec('begin exclusive')
    const holder: LockHolder = { pid: process.pid, host: hostname(), ...(address !== undefined && { address }), startedAt: new Date().toISOString() }
    writeFileSync(join(folder, HOLDER), `${JSON.stringify(holder)}\n`, { mode: 0o600 })
    const held = database
    return ok({
      release() {
        rmSync(join(folder, HOLDER), { force: true })
        held.close()
      },
    })
  } catch (cause) {
    database?.close()
    if (!isBusy(cause)) return err(failure('UNREADABLE', `the database folder ${folder} cannot be used: ${messageOf(cause)}`, { details: { folder }, cause }))
    const holder = readHolder(folder)
    return err(failure('DATABASE_LOCKED', `the database folder ${folder} is in use by ${describe(holder)}`, { details: { folder, ...(holder && { holder }) } }))
  }
}

const isBusy = (cause: unknown): boolean => cause instanceof Error && 'errcode' in cause && cause.errcode === BUSY

function readHolder(folder: string): LockHolder | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(join(folder, HOLDER), 'utf8'))
    if (typeof found !== 'object' || found === null || !('pid' in found) || !('host' in found) || !('startedAt' in found)) return undefined
    const { pid, host, startedAt } = found
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof startedAt !== 'string') return undefined
    return { pid, host, startedAt, ...('address' in found && typeof found.address === 'string' && { address: found.address }) }
  } catch {
    return undefined // it is being written, or was removed by hand; the lock itself is what counts
  }
}

function describe(holder: LockHolder | undefined): string {
  if (!holder) return 'another server'
  const who = holder.pid === process.pid ? 'another server in this very process' : `the server with process id ${holder.pid} on ${holder.host}`
  return `${who}${holder.address === undefined ? '' : ` at ${holder.address}`}, since ${holder.startedAt}`
}
