import { definePlugin, Models, Outbound, Secrets } from '@amodal/sdk'
import { keyedProvider } from '@amodal/sdk/model'
import { ANTHROPIC, createMessagesModel } from './messages-model.ts'

/**
 * Claude models, over Anthropic's Messages API.
 *
 * @example
 * // amodal.json
 * { "models": { "main": { "provider": "anthropic", "model": "claude-sonnet-4-20250514" } } }
 */
export const modelAnthropic = definePlugin({
  name: 'model-anthropic',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'] },
  requires: { secrets: Secrets, outbound: Outbound },
  provides: [Models],
  setup({ deps, add }) {
    add(Models, ANTHROPIC.name, keyedProvider(ANTHROPIC, deps, createMessagesModel))
  },
})

export default modelAnthropic
