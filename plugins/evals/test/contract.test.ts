import loop from '@amodal/plugin-loop'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { evals } from '../src/index.ts'

pluginContract(evals, {
  with: [use(secretsEnv, { masterKey: 'memory' }), use(loop), use(sessionsMemory)],
})
