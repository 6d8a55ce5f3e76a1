import { http } from '@amodal/plugin-http'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { toolRepos } from '../src/index.ts'

pluginContract(toolRepos, {
  with: [use(secretsEnv, { env: {}, masterKey: 'memory' }), use(http, { port: 0 })],
})
