import { use } from '@amodal/sdk'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import { pluginContract } from '@amodal/sdk/testing'
import { auth } from '../src/index.ts'

pluginContract(auth, {
  config: { keys: [{ key: `amodal_${'a'.repeat(12)}_${'b'.repeat(43)}` }] },
  with: [use(secretsEnv, { env: {}, masterKey: 'memory' })],
})
