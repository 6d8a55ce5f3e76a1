import { definePlugin, Models, Outbound, Secrets } from '@amodal/sdk'
import { keyedProvider } from '@amodal/sdk/model'
import { createGeminiModel, GOOGLE } from './gemini-model.ts'

/**
 * Gemini models, over Google's generateContent API.
 *
 * @example
 * // amodal.json
 * { "models": { "main": { "provider": "google", "model": "gemini-3.1-pro-preview" } } }
 */
export const modelGoogle = definePlugin({
  name: 'model-google',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'] },
  requires: { secrets: Secrets, outbound: Outbound },
  provides: [Models],
  setup({ deps, add }) {
    add(Models, GOOGLE.name, keyedProvider(GOOGLE, deps, createGeminiModel))
  },
})

export default modelGoogle
