import loop from '@amodal/plugin-loop'
import outbound from '@amodal/plugin-outbound'
import secretsEnv from '@amodal/plugin-secrets-env'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { connectMcp } from '../src/index.ts'

pluginContract(connectMcp, {
  config: { callMs: 5_000 },
  with: [use(secretsEnv, { env: {} }), use(outbound), use(loop)],
})
