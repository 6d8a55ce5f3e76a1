import type { LanguageModel } from '@amodal/sdk'
import {
  IMAGE_TYPES,
  adaptModel,
  type FinishTable,
  type ModelEndpoint,
  type ModelTransport,
  type ResolvedModel,
  withOption,
} from '@amodal/sdk/model'
import { messageDocument, MessageEvents } from './message-events.ts'

/** Source: the API reference of Anthropic. */
export const ANTHROPIC: ModelEndpoint = {
  name: 'anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  envVar: 'ANTHROPIC_API_KEY',
  model: 'claude-sonnet-4-20250514',
  rank: 10,
  lacks: ['seed'],
  takes: [...IMAGE_TYPES, 'application/pdf'],
  carries: ['image/*', 'application/pdf'],
}

/** Source: the API reference of Anthropic, "Handling stop reasons". */
const FINISH: FinishTable = {
  end_turn: 'success',
  stop_sequence: 'success',
  tool_use: 'success',
  max_tokens: 'cut',
  model_context_window_exceeded: 'cut',
  // Of tools that the provider runs, which are never sent.
  pause_turn: 'failed',
  compaction: 'failed',
  refusal: 'refused',
  // of compatible services
  stop: 'success',
  tool_calls: 'success',
  length: 'cut',
  content_filter: 'refused',
  error: 'failed',
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
    events: () => new MessageEvents(),
    document: messageDocument,
    finish: FINISH,
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
