import { definePlugin, Models, Outbound, Secrets } from '@amodal/sdk'
import { keyedProvider } from '@amodal/sdk/model'
import { createResponsesModel, OPENAI } from './responses-model.ts'

/**
 * OpenAI's models, over the Responses API.
 *
 * @example
 * // amodal.json
 * { "models": { "main": { "provider": "openai", "model": "gpt-4o" } } }
 */
export const modelOpenai = definePlugin({
  name: 'model-openai',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'] },
  requires: { secrets: Secrets, outbound: Outbound },
  provides: [Models],
  setup({ deps, add }) {
    add(Models, OPENAI.name, keyedProvider(OPENAI, deps, createResponsesModel))
  },
})

export default modelOpenai
