import loop from '@amodal/plugin-loop'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import rights from '../src/index.ts'

pluginContract(rights, {
  with: [use(loop), use(secretsEnv, { env: {}, masterKey: 'memory' }), use(sessionsMemory)],
})
