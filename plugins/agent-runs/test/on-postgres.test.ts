/** Every request and response of runs, on Postgres. */
import dbPostgres from '@amodal/plugin-db-postgres'
import { use } from '@amodal/sdk'
import { afterAll } from 'vitest'
import { startPostgres } from '../../../tests/support/postgres.ts'
import { database } from './support/serving.ts'

const postgres = await startPostgres()
afterAll(() => postgres.stop())
database.plugin = async () => use(dbPostgres, { url: await postgres.createDatabase(), max: 3 })

await import('./runs.test.ts')
await import('./pauses.test.ts')
await import('./stream.test.ts')
await import('./list.test.ts')
await import('./artifacts.test.ts')
await import('./links.test.ts')
await import('./mcp.test.ts')
await import('./openapi.test.ts')
await import('./failures.test.ts')
await import('./webhooks.test.ts')
