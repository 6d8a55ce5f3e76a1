import { definePlugin, Models, Outbound, Secrets } from '@amodal/sdk'
import { keyedProvider } from '@amodal/sdk/model'
import { AZURE, createAzureModel } from './azure-model.ts'

/**
 * Models that are deployed at Azure OpenAI, over the Responses API of its v1 endpoint; `model` is
 * the name of a deployment.
 *
 * @example
 * // amodal.json
 * { "models": { "main": { "provider": "azure", "model": "my-gpt-4o" } } }
 */
export const modelAzure = definePlugin({
  name: 'model-azure',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'] },
  requires: { secrets: Secrets, outbound: Outbound },
  provides: [Models],
  setup({ deps, add }) {
    add(Models, AZURE.name, keyedProvider(AZURE, deps, createAzureModel))
  },
})

export default modelAzure
