import { err, ok, tenantId, timeLimit, type Database, type Failure, type Result } from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { createHash } from 'node:crypto'
import { AssetStorageFailed } from './errors.ts'
import { DROP_REMOVALS, LOCK_REMOVALS, USED_OUTSIDE } from './statements.ts'
import type { AssetBytes, StoredFile } from './tokens.ts'

/** Files of one transaction. */
const BATCH = 50
/** ms for one batch. */
const BATCH_MS = 30_000

/**
 * Bytes that are outside of the database, unless they are damaged: those count as lost, since a
 * provider refuses a conversation for good in which a file is not what its type says.
 */
export async function readOutside(
  file: StoredFile,
  outside: AssetBytes | undefined,
  signal: AbortSignal,
): Promise<Result<Uint8Array | undefined, Failure>> {
  if (!outside)
    return err(
      AssetStorageFailed(
        'the bytes of a file are outside of the database, and nothing here says where',
      ),
    )
  const read = await outside.read(file, signal)
  if (!read.ok || read.value === undefined) return read
  return createHash('sha256').update(read.value).digest('hex') === file.asset ? read : ok(undefined)
}

/**
 * Removes bytes whose files were removed, or whose rows were never written. Their rows are locked
 * meanwhile, so that nobody who uploads the same takes up bytes that are being removed.
 *
 * @returns whether there may be more; the failure of a removal is returned once the others are done
 */
export async function removeOutside(
  database: Database,
  outside: AssetBytes,
  signal: AbortSignal,
): Promise<Result<boolean, Failure>> {
  const limit = timeLimit(BATCH_MS, 'removing the bytes of files', signal)
  const failures: Failure[] = []
  const due = await database.transaction(async (run) => {
    failures.length = 0 // of a try before
    const locked = await runIn(run, LOCK_REMOVALS({ limit: BATCH }))
    if (locked.length === 0) return 0
    // A statement of its own: it sees what was written before the rows were locked.
    const used = await runIn(run, USED_OUTSIDE({ assets: JSON.stringify(locked) }))
    const inUse = new Set(used.map(keyOf))
    const removed: (typeof locked)[number][] = []
    for (const row of locked) {
      const { tenant, asset } = row
      const done = inUse.has(keyOf(row))
        ? ok(undefined)
        : await outside.remove({ tenant: tenantId(tenant), asset }, limit)
      if (done.ok) removed.push(row)
      else failures.push(done.error)
    }
    await runIn(run, DROP_REMOVALS({ assets: JSON.stringify(removed) }))
    return locked.length
  }, limit)
  if (!due.ok) return due
  const [failed] = failures
  return failed ? err(failed) : ok(due.value === BATCH)
}

const keyOf = ({ tenant, asset }: { readonly tenant: string; readonly asset: string }): string =>
  JSON.stringify([tenant, asset])
