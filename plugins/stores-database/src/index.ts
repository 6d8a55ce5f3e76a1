import { Database, definePlugin, Migrations, StoreBackend, TenantDatabase } from '@amodal/sdk'
import { z } from 'zod'
import { DatabaseStores } from './database-stores.ts'
import { FORGET_MS, forgetCalls } from './forget-calls.ts'
import { MIGRATIONS } from './migrations.ts'

/** Store documents in the database, seen through the tenant's own connection. */
export const storesDatabase = definePlugin({
  name: 'stores-database',
  version: '0.1.0',
  requires: { database: Database, tenantDatabase: TenantDatabase },
  provides: [StoreBackend, Migrations],
  config: z.strictObject({
    keepCallsDays: z.number().min(1).default(30).describe('days for which the key of a write still counts as a repetition'),
  }),
  setup({ config, deps: { database }, provide, add, onBoot, log }) {
    add(Migrations, 'stores-database', MIGRATIONS)
    provide(StoreBackend, (scope) => new DatabaseStores(scope.get(TenantDatabase)))
    onBoot(() => {
      const timer = setInterval(() => {
        void forgetCalls(database, config.keepCallsDays).then((done) => { if (!done.ok) log.warn('stores.forget_failed', { code: done.error.code, message: done.error.message }) })
      }, FORGET_MS)
      timer.unref()
      return () => clearInterval(timer)
    })
  },
})

export default storesDatabase
