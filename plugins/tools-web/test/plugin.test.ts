import outbound from '@amodal/plugin-outbound'
import secretsEnv from '@amodal/plugin-secrets-env'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { toolsWeb } from '../src/index.ts'

pluginContract(toolsWeb, {
  config: { maxChars: 5_000 },
  with: [use(outbound), use(secretsEnv, { env: {} })],
})
