/** Every request and response of versioned tools, on Postgres. */
import dbPostgres from '@amodal/plugin-db-postgres'
import { use } from '@amodal/sdk'
import { afterAll } from 'vitest'
import { startPostgres } from '../../../tests/support/postgres.ts'
import { database } from './support/serving.ts'

const postgres = await startPostgres()
afterAll(() => postgres.stop())
database.plugin = async () => use(dbPostgres, { url: await postgres.createDatabase(), max: 5 })

await import('./tools.test.ts')
await import('./publish.test.ts')
await import('./invoke.test.ts')
await import('./history.test.ts')
await import('./clean-up.test.ts')
