import { PRESETS } from '@amodal/presets'
import dbPostgres from '@amodal/plugin-db-postgres'
import http from '@amodal/plugin-http'
import logJson from '@amodal/plugin-log-json'
import modelFailover from '@amodal/plugin-model-failover'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import { use } from '@amodal/sdk'
import { presetContract } from '@amodal/sdk/testing'
import { afterAll, beforeAll } from 'vitest'
import { agentFolder } from '../support/agent-folder.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'

const production = await PRESETS['production']?.()
if (!production) throw new Error('there is no preset production')

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

presetContract(production.default, {
  keeps: true,
  async place(files) {
    const { dir, remove } = await agentFolder(files)
    const env = { DATABASE_URL: await postgres.createDatabase() }
    return {
      entries: [
        use(secretsEnv, { dir, env }),
        use(repoFiles, { dir }),
        use(dbPostgres, { max: 4 }),
        use(http, { port: 0 }),
        use(modelFailover, { baseMs: 20 }),
        use(logJson, { level: 'none' }),
      ],
      remove,
    }
  },
})
