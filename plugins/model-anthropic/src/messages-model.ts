import type { LanguageModel } from '@amodal/sdk'
import {
  IMAGE_TYPES,
  adaptModel,
  eventType,
  type ModelEndpoint,
  type ModelTransport,
  type ResolvedModel,
  withOption,
} from '@amodal/sdk/model'

/** Source: the API reference of Anthropic. */
export const ANTHROPIC: ModelEndpoint = {
  name: 'anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  envVar: 'ANTHROPIC_API_KEY',
  model: 'claude-sonnet-4-20250514',
  rank: 10,
  lacks: ['seed'],
  takes: [...IMAGE_TYPES, 'application/pdf'],
}

/** Of the API, not of a model. */
const VERSION = '2023-06-01'

export function createMessagesModel(
  resolved: ResolvedModel,
  transport: ModelTransport,
): LanguageModel {
  const { provider, model, baseUrl, apiKey, headers, thinking } = resolved
  return adaptModel({
    resolved,
    transport,
    call: ({ seed: _seed, ...options }) =>
      thinking === undefined
        ? options
        : {
            ...options,
            providerOptions: withOption(options, 'anthropic', {
              thinking: { type: 'enabled', budgetTokens: thinking },
            }),
          },
    endOf: (data) =>
      data.includes('message_stop') && eventType(data) === 'message_stop' ? 'last' : undefined,
    async load(fetch) {
      const { AnthropicLanguageModel } = await import('@ai-sdk/anthropic/internal')
      const sent = {
        'anthropic-version': VERSION,
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
        ...headers,
      }
      return new AnthropicLanguageModel(model, {
        provider,
        baseURL: baseUrl.replace(/\/+$/, ''),
        headers: () => sent,
        fetch,
      })
    },
  })
}
