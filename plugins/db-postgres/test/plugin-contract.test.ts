import { afterAll } from 'vitest'
import { pluginContract } from '@amodal/sdk/testing'
import { startPostgres } from '../../../tests/support/postgres.ts'
import { dbPostgres } from '../src/index.ts'
import { plainSecrets } from './plain-secrets.ts'

const postgres = await startPostgres() // the kit wants its config before any test runs
afterAll(() => postgres.stop())

pluginContract(dbPostgres, {
  config: { url: await postgres.createDatabase() },
  with: [plainSecrets()],
})
