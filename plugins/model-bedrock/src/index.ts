import { definePlugin, Models, Outbound, Secrets } from '@amodal/sdk'
import { keyedProvider } from '@amodal/sdk/model'
import { createConverseModel } from './converse-model.ts'
import { BEDROCK } from './endpoint.ts'

/**
 * Models of Amazon Bedrock, over ConverseStream.
 *
 * @example
 * // amodal.json
 * { "models": { "main": { "provider": "bedrock", "model": "amazon.nova-pro-v1:0" } } }
 */
export const modelBedrock = definePlugin({
  name: 'model-bedrock',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'] },
  requires: { secrets: Secrets, outbound: Outbound },
  provides: [Models],
  setup({ deps, add }) {
    add(Models, BEDROCK.name, keyedProvider(BEDROCK, deps, createConverseModel))
  },
})

export default modelBedrock
