import { PRESETS } from '@amodal/presets'
import dbPglite from '@amodal/plugin-db-pglite'
import http from '@amodal/plugin-http'
import logJson from '@amodal/plugin-log-json'
import modelFailover from '@amodal/plugin-model-failover'
import repoFiles from '@amodal/plugin-repo-files'
import secretsEnv from '@amodal/plugin-secrets-env'
import { use } from '@amodal/sdk'
import { presetContract } from '@amodal/sdk/testing'
import { agentFolder } from '../support/agent-folder.ts'

const dev = await PRESETS['dev']?.()
if (!dev) throw new Error('there is no preset dev')

presetContract(dev.default, {
  keeps: true,
  async place(files) {
    const { dir, remove } = await agentFolder(files)
    return {
      entries: [
        use(secretsEnv, { dir, env: {} }),
        use(repoFiles, { dir }),
        use(dbPglite, { dir }),
        use(http, { port: 0 }),
        use(modelFailover, { baseMs: 20 }),
        use(logJson, { level: 'none' }),
      ],
      remove,
    }
  },
})
