import dbPostgres from '@amodal/plugin-db-postgres'
import secretsEnv from '@amodal/plugin-secrets-env'
import {
  Database,
  explain,
  Kernel,
  principalId,
  sessionId,
  SessionFacts,
  StoreBackend,
  tenantId,
  unwrap,
  use,
} from '@amodal/sdk'
import { storeContract } from '@amodal/sdk/testing'
import { afterAll, beforeAll } from 'vitest'
import { startPostgres, type Postgres } from '../../../tests/support/postgres.ts'
import { storesDatabase } from '../src/index.ts'
import { purge } from '../src/purge.ts'

let postgres: Postgres
let kernel: Kernel
beforeAll(async () => {
  postgres = await startPostgres()
  const env = { DATABASE_URL: await postgres.createDatabase() }
  kernel = unwrap(
    await Kernel.create([use(secretsEnv, { env }), use(dbPostgres), use(storesDatabase)]),
    explain,
  )
})
afterAll(async () => {
  await kernel.close()
  await postgres.stop()
})

// Each test has tenants of its own, so that they can share a database.
let run = 0
storeContract('stores-database on Postgres', {
  async make() {
    const mine = ++run
    return {
      of: (tenant) =>
        kernel.scope
          .child('session', [
            [
              SessionFacts,
              {
                tenant: tenantId(`${mine}-${tenant}`),
                session: sessionId('s'),
                principal: principalId('p'),
              },
            ],
          ])
          .get(StoreBackend),
      close: async () => undefined,
      async purge() {
        const { gone } = unwrap(
          await purge(kernel.scope.get(Database), 0, AbortSignal.timeout(30_000)),
          ({ message }) => message,
        )
        return gone.reduce((sum, { count }) => sum + count, 0)
      },
    }
  },
})
