import { resolve } from 'node:path'
import { z } from 'zod'
import {
  Commands,
  Database,
  definePlugin,
  fixOf,
  Health,
  PluginError,
  SessionFacts,
  TenantDatabase,
  type Failure,
} from '@amodal/sdk'
import { DatabaseProbes } from '@amodal/sdk/inspection'
import { migrationsToApply, tenantDatabase, type MigrationLists } from '@amodal/sdk/database'
import { databaseCommand } from './database-command.ts'
import { PgliteDatabase } from './database.ts'
import { lockFolder } from './lock.ts'
import { MEMORY, openDatabase } from './opening.ts'
import { folderProbe } from './probe.ts'
import { FolderRecord } from './record.ts'

/**
 * Embedded Postgres in the process, in a folder that this process alone may open.
 *
 * @example
 * use(dbPglite, { dataDir: '.amodal/store-data' })
 */
export const dbPglite = definePlugin({
  name: 'db-pglite',
  version: '0.1.0',
  reaches: { files: ['.amodal/data'] },
  provides: [Database, TenantDatabase],
  reload: 'exclusive',
  config: z.object({
    /** The agent's folder. */
    dir: z.string().default('.'),
    /** The folder of the data, relative to `dir`; `memory://` keeps nothing. */
    dataDir: z.string().min(1).default('.amodal/store-data'),
    /**
     * Where this server will listen; named in the error of a process that finds the folder locked.
     */
    address: z.string().optional(),
    /** Another image to start new databases from than those of this package. */
    image: z.string().optional(),
  }),
  setup({ name, config, provide, add, onBoot, generation, log }) {
    const dataDir = config.dataDir === MEMORY ? MEMORY : resolve(config.dir, config.dataDir)
    const migrations = (): MigrationLists => migrationsToApply(generation())
    const record = dataDir === MEMORY ? undefined : new FolderRecord(dataDir, log)
    let opens = 0
    const database = new PgliteDatabase({
      async open(onNotify) {
        const mayCreate = opens++ === 0
        // the first time, the start has done it
        const sound = mayCreate ? undefined : record?.inspect()
        return sound?.ok === false
          ? sound
          : openDatabase({
              dataDir,
              mayCreate,
              image: config.image,
              migrations: migrations(),
              onNotify,
              log,
            })
      },
      record,
      migrations,
      log,
    })
    provide(Database, () => database)
    provide(TenantDatabase, (scope) =>
      tenantDatabase(scope.get(Database), scope.get(SessionFacts).tenant),
    )
    if (dataDir !== MEMORY) add(DatabaseProbes, name, () => folderProbe(dataDir, log))
    add(Commands, 'ops database', databaseCommand(dataDir))
    add(Health, 'database', () => {
      const { ready, problem } = database.ready()
      const wrong = problem?.message ?? record?.problem()
      return {
        facts: { database: { dialect: database.dialect, ready } },
        ...(wrong !== undefined && { problem: wrong }),
        ...(problem && { fix: fixOf(problem) }),
      }
    })
    onBoot(async () => {
      const refused = (cause: Failure): never => {
        throw new PluginError(
          name,
          'boot',
          dataDir,
          new Error(cause.message, { cause }),
          cause.code,
        )
      }
      const locked = dataDir === MEMORY ? undefined : await lockFolder(dataDir, config.address)
      if (locked && !locked.ok) return refused(locked.error)
      const sound = record?.inspect()
      if (sound && !sound.ok) {
        await locked?.value.release()
        return refused(sound.error)
      }
      database.start()
      return async () => {
        await database.close()
        await locked?.value.release()
      }
    })
  },
})

export { prepareImage } from './prepare.ts'
export default dbPglite
