import { definePlugin, Migrations, StoreBackend, TenantDatabase } from '@amodal/sdk'
import { z } from 'zod'
import { DatabaseStores } from './database-stores.ts'
import { migrations } from './migrations.ts'

/** Store documents in the database, seen through the tenant's own connection. */
export const storesDatabase = definePlugin({
  name: 'stores-database',
  version: '1.0.0',
  requires: { database: TenantDatabase },
  provides: [StoreBackend, Migrations],
  config: z.object({}),
  setup({ provide, add }) {
    add(Migrations, 'stores-database', migrations)
    provide(StoreBackend, (scope) => new DatabaseStores(scope.get(TenantDatabase)))
  },
})

export default storesDatabase
