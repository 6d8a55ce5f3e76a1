import { renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { err, failure, messageOf, ok, type Failure, type Logger, type Result } from '@amodal/sdk'
import { schemaWork, type MigrationLists } from '@amodal/sdk/database'
import { PgliteDatabase } from './database.ts'
import { Engine } from './engine.ts'
import { packImage, PREPARED_IMAGE, readImage, SHIPPED_IMAGE } from './image.ts'
import { MEMORY } from './opening.ts'

/**
 * Makes the image from which new databases start with nothing left to migrate: the shipped one with
 * these migrations applied. It holds tables and no rows. A start whose plugins have other
 * migrations by then does not use it.
 *
 * @param migrations the lists of the plugins: registry `Migrations`
 * @param file where to write it; beside the shipped one where it is not given
 * @returns its size in bytes; an `Err` where a migration failed or the file cannot be written
 * @example
 * const prepared = await prepareImage(kernel.current().registry(Migrations), log, signal)
 */
export async function prepareImage(
  migrations: MigrationLists,
  log: Logger,
  signal: AbortSignal,
  file: string = fileURLToPath(PREPARED_IMAGE),
): Promise<Result<number, Failure>> {
  try {
    const {
      header: { pglite },
      tar,
    } = await readImage(SHIPPED_IMAGE)
    const engine = await Engine.open(
      { dataDir: MEMORY, loadDataDir: new Blob([new Uint8Array(await tar())]) },
      () => undefined,
    )
    const database = new PgliteDatabase({
      open: () => Promise.resolve(ok({ engine, origin: 'image' as const })),
      record: undefined,
      migrations: () => migrations,
      log,
    })
    try {
      const work = schemaWork([...migrations.values()], {
        applied: [],
        secured: new Set(),
        role: false,
      })
      if (!work.ok) return work
      const migrated = await database.run({ sql: 'select 1', parameters: [] }, signal)
      if (!migrated.ok) return migrated
      const applied = work.value.pending.map(({ plugin, n, name, checksum }) => ({
        plugin,
        n,
        name,
        checksum,
      }))
      const image = packImage(await engine.dump(), { pglite, migrations: applied }, 'quick')
      writeFileSync(`${file}.new`, image)
      // a start that reads it meanwhile finds the old one or the new one
      renameSync(`${file}.new`, file)
      return ok(image.length)
    } finally {
      await database.close()
    }
  } catch (cause) {
    return err(
      failure('DATABASE_UNAVAILABLE', `the image cannot be prepared: ${messageOf(cause)}`, {
        details: { file },
        cause,
      }),
    )
  }
}
