import { definePlugin, Models, Outbound, Secrets } from '@amodal/sdk'
import { keyedProvider } from '@amodal/sdk/model'
import { AccessTokens } from './access-tokens.ts'
import { VERTEX } from './endpoint.ts'
import { vertexModels } from './vertex-model.ts'

/**
 * Gemini models on Vertex AI, with a service account or with an API key.
 *
 * @example
 * // amodal.json
 * { "models": { "main": { "provider": "vertex", "model": "gemini-2.5-pro" } } }
 */
export const modelVertex = definePlugin({
  name: 'model-vertex',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'] },
  requires: { secrets: Secrets, outbound: Outbound },
  provides: [Models],
  setup({ deps, add }) {
    add(Models, VERTEX.name, keyedProvider(VERTEX, deps, vertexModels(new AccessTokens(deps))))
  },
})

export default modelVertex
