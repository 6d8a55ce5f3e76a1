import loop from '@amodal/plugin-loop'
import outbound from '@amodal/plugin-outbound'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { usage } from '../src/index.ts'

pluginContract(usage, {
  with: [use(secretsEnv, { masterKey: 'memory' }), use(outbound), use(loop), use(sessionsMemory)],
})
