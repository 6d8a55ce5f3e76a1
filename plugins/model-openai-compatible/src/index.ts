import { definePlugin, Models, Outbound, Secrets } from '@amodal/sdk'
import { ENDPOINTS } from './endpoints.ts'
import { createProvider } from './provider.ts'

/**
 * Chat-completions models, at any base URL and at the providers that are known by name.
 *
 * @example
 * // amodal.json
 * { "models": { "main": { "provider": "openai-compatible", "baseUrl": "http://127.0.0.1:11434/v1", "model": "qwen3" } } }
 */
export const modelOpenaiCompatible = definePlugin({
  name: 'model-openai-compatible',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'] },
  requires: { secrets: Secrets, outbound: Outbound },
  provides: [Models],
  setup({ deps, add }) {
    for (const endpoint of ENDPOINTS) add(Models, endpoint.name, createProvider(endpoint, deps))
  },
})

export default modelOpenaiCompatible
