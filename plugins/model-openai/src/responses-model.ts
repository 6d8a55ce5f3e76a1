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

/** Source: the API reference of OpenAI. */
export const OPENAI: ModelEndpoint = {
  name: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  envVar: 'OPENAI_API_KEY',
  model: 'gpt-4o',
  rank: 20,
  lacks: ['seed', 'thinking'],
  takes: [...IMAGE_TYPES, 'application/pdf'],
}

/** Events that end a reply: well, cut short, or with an error. */
const LAST: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
])
/** What has none of these words in it need not be parsed. */
const END = /response\.(?:completed|incomplete|failed)/

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
    endOf: (data) => (END.test(data) && LAST.has(eventType(data) ?? '') ? 'last' : undefined),
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
