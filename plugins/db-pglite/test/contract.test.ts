import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { use } from '@amodal/sdk'
import { databaseContract } from '@amodal/sdk/testing'
import { dbPglite } from '../src/index.ts'

databaseContract('db-pglite', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-pglite-'))
  return { entries: [use(dbPglite, { dir })], remove: () => rm(dir, { recursive: true }) }
})
