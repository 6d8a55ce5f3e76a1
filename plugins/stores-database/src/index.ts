import {
  Database,
  definePlugin,
  Erasers,
  hooksOf,
  Migrations,
  StoreBackend,
  TenantDatabase,
} from '@amodal/sdk'
import { PeriodicTask } from '@amodal/sdk/database'
import { z } from 'zod'
import { DatabaseStores } from './database-stores.ts'
import { eraser } from './eraser.ts'
import { FORGET_MS, forgetCalls } from './forget-calls.ts'
import { MIGRATIONS } from './migrations.ts'
import { purge } from './purge.ts'

/** Store documents in the database, seen through the tenant's own connection. */
export const storesDatabase = definePlugin({
  name: 'stores-database',
  version: '0.1.0',
  requires: { database: Database, tenantDatabase: TenantDatabase },
  provides: [StoreBackend, Migrations],
  config: z.strictObject({
    keepCallsDays: z
      .number()
      .min(1)
      .default(30)
      .describe('days for which the key of a write still counts as a repetition'),
    keepStaleHours: z
      .number()
      .min(0)
      .nullable()
      .default(24)
      .describe('hours for which a stale document is kept before it is removed; `null`: for ever'),
    purgeSeconds: z
      .number()
      .min(0.01)
      .max(86_400)
      .default(60)
      .describe('seconds between two looks for such documents'),
  }),
  setup({
    config: { keepCallsDays, keepStaleHours, purgeSeconds },
    deps: { database },
    provide,
    add,
    onBoot,
    generation,
    log,
  }) {
    const removal = async (signal: AbortSignal): Promise<boolean> => {
      if (keepStaleHours === null) return false
      const done = await purge(database, keepStaleHours * 3_600_000, signal)
      if (!done.ok) {
        if (!signal.aborted)
          log.warn('stores.purge_failed', { code: done.error.code, message: done.error.message })
        return false
      }
      const { runtime } = hooksOf(generation()).event
      for (const { tenant, store, count } of done.value.gone)
        runtime.call(
          { type: 'store_updated', storeName: store, operation: 'delete', count },
          { tenant },
        )
      return done.value.more
    }
    const forgetting = async (): Promise<boolean> => {
      const done = await forgetCalls(database, keepCallsDays)
      if (!done.ok)
        log.warn('stores.forget_failed', { code: done.error.code, message: done.error.message })
      return false
    }
    const tasks = [
      new PeriodicTask(purgeSeconds * 1_000, removal),
      new PeriodicTask(FORGET_MS, forgetting),
    ]
    add(Migrations, 'stores-database', MIGRATIONS)
    add(Erasers, 'stores', eraser)
    provide(StoreBackend, (scope) => new DatabaseStores(scope.get(TenantDatabase)))
    onBoot(() => {
      for (const one of tasks) one.start()
      return async () => {
        await Promise.all(tasks.map((one) => one.stop()))
      }
    })
  },
})

export default storesDatabase
