import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import { fileFailure } from '@amodal/sdk/files'

/** What a holder writes next to the lock, for the error message of other processes. */
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
export interface FolderLock {
  release(): Promise<void>
}

/**
 * Locks a folder for this process, or fails at once: `DATABASE_LOCKED` names who holds it,
 * `NOT_WRITABLE` a folder that cannot be written. There are two locks, and the operating system
 * frees both when the process dies: SQLite's lock on a file, which also holds between containers
 * that share the folder, and on Linux a lock on the folder itself, which holds when somebody has
 * removed that file. Nothing else may open the lock file in this process: closing it would drop the
 * lock.
 */
export async function lockFolder(
  folder: string,
  address: string | undefined,
): Promise<Result<FolderLock, Failure>> {
  let file: DatabaseSync | undefined
  let socket: Server | undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    socket = await folderSocket(folder)
    file = new DatabaseSync(join(folder, LOCK), { timeout: 0 })
    file.exec('begin exclusive')
    const holder: LockHolder = {
      pid: process.pid,
      host: hostname(),
      ...(address !== undefined && { address }),
      startedAt: new Date().toISOString(),
    }
    writeFileSync(join(folder, HOLDER), `${JSON.stringify(holder)}\n`, { mode: 0o600 })
    return ok(new Held(folder, file, socket))
  } catch (cause) {
    file?.close()
    await closed(socket)
    if (!isBusy(cause))
      return err(fileFailure(`the database folder ${folder}`, join(folder, LOCK), cause))
    const holder = readHolder(folder)
    return err(
      failure('DATABASE_LOCKED', `the database folder ${folder} is in use by ${describe(holder)}`, {
        details: { folder, ...(holder && { holder }) },
      }),
    )
  }
}

class Held implements FolderLock {
  readonly #folder: string
  readonly #file: DatabaseSync
  readonly #socket: Server | undefined

  constructor(folder: string, file: DatabaseSync, socket: Server | undefined) {
    this.#folder = folder
    this.#file = file
    this.#socket = socket
  }

  async release(): Promise<void> {
    rmSync(join(this.#folder, HOLDER), { force: true })
    this.#file.close()
    await closed(this.#socket)
  }
}

/**
 * A Unix socket in Linux' abstract namespace (unix(7)), named after device and inode of the folder:
 * no file stands for it, so nobody can remove it, and it is another one for another folder of the
 * same name. One network namespace sees one such name, so between containers it is SQLite's lock
 * that counts; so it is in a sandbox that has no such sockets. Throws `EADDRINUSE` while another
 * process holds it.
 */
async function folderSocket(folder: string): Promise<Server | undefined> {
  if (process.platform !== 'linux') return undefined
  const { dev, ino } = statSync(folder, { bigint: true })
  const server = createServer((socket) => socket.destroy())
  try {
    server.listen(`\0amodal-data-${dev}-${ino}`)
    await once(server, 'listening') // rejects with the error of `listen`
  } catch (cause) {
    if (isBusy(cause)) throw cause
    return undefined
  }
  server.unref()
  return server
}

function closed(server: Server | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (server) server.close(() => resolve())
    else resolve()
  })
}

const isBusy = (cause: unknown): boolean =>
  cause instanceof Error &&
  (('errcode' in cause && cause.errcode === BUSY) ||
    ('code' in cause && cause.code === 'EADDRINUSE'))

function readHolder(folder: string): LockHolder | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(join(folder, HOLDER), 'utf8'))
    if (
      typeof found !== 'object' ||
      found === null ||
      !('pid' in found) ||
      !('host' in found) ||
      !('startedAt' in found)
    )
      return undefined
    const { pid, host, startedAt } = found
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof startedAt !== 'string')
      return undefined
    return {
      pid,
      host,
      startedAt,
      ...('address' in found && typeof found.address === 'string' && { address: found.address }),
    }
  } catch {
    return undefined // it is being written, or was removed by hand; the lock itself is what counts
  }
}

function describe(holder: LockHolder | undefined): string {
  if (!holder) return 'another server'
  const holderText =
    holder.pid === process.pid
      ? 'another server in this very process'
      : `the server with process id ${holder.pid} on ${holder.host}`
  return `${holderText}${holder.address === undefined ? '' : ` at ${holder.address}`}, since ${holder.startedAt}`
}
