import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { err, failure, type Failure, ok, type Result } from '@amodal/sdk'

/**
 * Files that Postgres knows nothing of: ours, and those that tools and file systems leave in empty
 * folders.
 */
const NOT_OF_POSTGRES = /^(?:amodal\..*|\.gitignore|\.gitkeep|\.DS_Store|lost\+found)$/

/** Where a new database is written; leftovers here are incomplete and unusable. */
const UNPACKING = 'amodal.unpacking'

/** A new database that is complete; its files move into the folder from here. */
const UNPACKED = 'amodal.unpacked'

/** What this plugin notes of a database beside it: where one of these is, there was a database. */
export const PROGRESS = 'amodal.progress.json'
export const MANIFEST = 'amodal.files.json'
export const DAMAGE = 'amodal.damage.json'

/**
 * The write-ahead log as it stood before Postgres recovered from it, where it lost something on the
 * way.
 */
export const KEPT_LOG = 'amodal.wal-before-recovery'

/** `version`: the major version of Postgres that made the database. */
export type FolderState =
  | { readonly kind: 'empty' }
  | { readonly kind: 'database'; readonly version: string }

/**
 * What a folder holds. Only an empty or absent folder may be initialised: one that holds files and
 * is no database has been one, and is `DATABASE_DAMAGED`. An initialisation that was interrupted
 * once its files were complete is completed.
 */
export function folderState(folder: string): Result<FolderState, Failure> {
  if (!existsSync(folder)) return ok({ kind: 'empty' })
  if (existsSync(join(folder, UNPACKED))) moveUp(folder)
  const version = versionOf(folder)
  if (version !== undefined)
    return /^\d+$/.test(version)
      ? ok({ kind: 'database', version })
      : err(damaged(folder, ['PG_VERSION holds no version']))
  const names = readdirSync(folder)
  if (names.some((name) => !NOT_OF_POSTGRES.test(name)))
    return err(damaged(folder, ['PG_VERSION is missing, and the folder holds other files']))
  const noted = names.find((name) => name === PROGRESS || name === MANIFEST)
  return noted === undefined
    ? ok({ kind: 'empty' })
    : err(damaged(folder, [`there was a database, as ${noted} says, and its files are gone`]))
}

/**
 * Initialises an empty folder. The files are written beside their place and moved when they are
 * complete, `PG_VERSION` last: a process that dies meanwhile leaves a folder that the next start
 * recognises.
 *
 * @param fill writes a whole database into the folder it is given
 */
export async function initialise(
  folder: string,
  fill: (into: string) => Promise<void>,
): Promise<void> {
  const into = join(folder, UNPACKING)
  rmSync(into, { recursive: true, force: true })
  mkdirSync(into, { recursive: true, mode: 0o700 })
  await fill(into)
  renameSync(into, join(folder, UNPACKED))
  moveUp(folder)
}

function moveUp(folder: string): void {
  const from = join(folder, UNPACKED)
  const names = readdirSync(from)
  for (const name of [
    ...names.filter((one) => one !== 'PG_VERSION'),
    ...names.filter((one) => one === 'PG_VERSION'),
  ])
    renameSync(join(from, name), join(folder, name))
  rmSync(from, { recursive: true })
}

function versionOf(folder: string): string | undefined {
  const file = join(folder, 'PG_VERSION')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

/**
 * @param what each in words
 * @param more.orElse a further way out
 */
export function damaged(
  folder: string,
  what: readonly string[],
  { cause, orElse = '' }: { readonly cause?: unknown; readonly orElse?: string } = {},
): Failure {
  const shown = what.length > 5 ? [...what.slice(0, 5), `and ${what.length - 5} more`] : what
  return failure(
    'DATABASE_DAMAGED',
    `the database in ${folder} is damaged (${shown.join('; ')}), and nothing was changed in it: restore a backup of the folder, move it away to begin with an empty one, or choose another dataDir${orElse}`,
    { details: { dataDir: folder, damage: what }, ...(cause !== undefined && { cause }) },
  )
}
