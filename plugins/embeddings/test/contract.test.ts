import outbound from '@amodal/plugin-outbound'
import secretsEnv from '@amodal/plugin-secrets-env'
import { use } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { embeddings } from '../src/index.ts'

pluginContract(embeddings, {
  config: { model: 'scripted' },
  with: [use(secretsEnv), use(outbound)],
})
