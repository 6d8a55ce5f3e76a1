import { afterAll, beforeAll } from 'vitest'
import { use } from '@amodal/sdk'
import { databaseContract } from '@amodal/sdk/testing'
import { startPostgres, type Postgres } from '../../../tests/support/postgres.ts'
import { dbPostgres } from '../src/index.ts'
import { plainSecrets } from './plain-secrets.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

databaseContract('db-postgres', async () => {
  const url = await postgres.createDatabase()
  return {
    entries: [plainSecrets(), use(dbPostgres, { url, max: 4 })],
    remove: async () => undefined,
  }
})

databaseContract('db-postgres without prepared statements', async () => {
  const url = await postgres.createDatabase()
  return {
    entries: [plainSecrets(), use(dbPostgres, { url, max: 2, prepare: false })],
    remove: async () => undefined,
  }
})
