import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import type { Kernel } from '@amodal/kernel'
import { Database } from '../ports/index.ts'
import { catalogueTests } from './database/catalogue.ts'
import { migrationTests } from './database/migrations.ts'
import { statementTests } from './database/statements.ts'
import {
  boot,
  NOTES,
  valueOf,
  type DatabaseBench,
  type DatabaseUnderTest,
} from './database/subject.ts'
import { tenantTests } from './database/tenants.ts'
import { transactionTests } from './database/transactions.ts'

export type { DatabaseUnderTest } from './database/subject.ts'

/**
 * The behaviour that every provider of the Database slot shows: values, transactions, failures,
 * NOTIFY, migrations and the wall between tenants.
 *
 * @param make called once per group of tests
 * @example
 * databaseContract('db-pglite', async () => ({
 *   entries: [use(dbPglite, { dataDir: folder })],
 *   remove: () => rm(folder, { recursive: true }),
 * }))
 */
export function databaseContract(name: string, make: () => Promise<DatabaseUnderTest>): void {
  describe(`${name} is a Database`, () => {
    let under: DatabaseUnderTest
    let kernel: Kernel
    let database: Database
    const signal = new AbortController().signal
    const bench: DatabaseBench = {
      signal,
      get kernel() {
        return kernel
      },
      get database() {
        return database
      },
      run: async (sql, ...parameters) => valueOf(await database.run({ sql, parameters }, signal)),
    }

    beforeAll(async () => {
      under = await make()
      kernel = await boot(under.entries, NOTES)
      database = kernel.scope.get(Database)
    })
    afterEach(async () => {
      await bench.run('delete from contract_notes')
    })
    afterAll(async () => {
      await kernel?.close()
      await under?.remove()
    })

    statementTests(bench)
    transactionTests(bench)
    tenantTests(bench)
    catalogueTests(bench)
  })

  migrationTests(name, make)
}
