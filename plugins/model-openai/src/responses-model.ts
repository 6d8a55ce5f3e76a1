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
import { ResponseEvents } from './response-events.ts'

/** Source: the API reference of OpenAI. */
export const OPENAI: ModelEndpoint = {
  name: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  envVar: 'OPENAI_API_KEY',
  model: 'gpt-4o',
  rank: 20,
  lacks: ['seed', 'thinking'],
  takes: [...IMAGE_TYPES, 'application/pdf'],
  carries: ['image/*', 'application/pdf'],
}

/** Why a response is incomplete, or failed; a whole one has no reason. */
const FINISH: FinishTable = {
  max_output_tokens: 'cut',
  max_prompt_tokens: 'cut',
  content_filter: 'refused',
  // It is incomplete, and does not say why.
  incomplete: 'cut',
  error: 'failed',
}

export function createResponsesModel(
  resolved: ResolvedModel,
  transport: ModelTransport,
): LanguageModel {
  const { provider, model, baseUrl, apiKey, headers } = resolved
  const base = new URL(baseUrl) // a query is kept
  const urlOf = ({ path }: { readonly path: string }): string =>
    `${base.origin}${base.pathname.replace(/\/+$/, '')}${path}${base.search}`
  return adaptModel({
    resolved,
    transport,
    events: () => new ResponseEvents(),
    finish: FINISH,
    async load(fetch) {
      const { OpenAIResponsesLanguageModel } = await import('@ai-sdk/openai/internal')
      const sent = {
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...headers,
      }
      return new OpenAIResponsesLanguageModel(model, {
        provider: `${provider}.responses`,
        url: urlOf,
        headers: () => sent,
        fetch,
      })
    },
    // Conversations are stored in the journal, not at OpenAI: reasoning is sent back encrypted.
    call: ({ seed: _seed, ...options }) => ({
      ...options,
      providerOptions: withOption(options, 'openai', { store: false }),
    }),
    hint: (status) =>
      status === 404 && base.href !== new URL(OPENAI.baseUrl ?? '').href
        ? '; an endpoint that only speaks chat completions is the provider "openai-compatible"'
        : undefined,
  })
}
