import type { LanguageModel } from '@amodal/sdk'
import { adaptModel, type ModelEndpoint, type ModelWay, type ResolvedModel } from '@amodal/sdk/models'

/** Source: the API reference of OpenAI. */
export const OPENAI: ModelEndpoint = {
  name: 'openai', baseUrl: 'https://api.openai.com/v1', envVar: 'OPENAI_API_KEY', model: 'gpt-4o', rank: 20,
}

export function createResponsesModel(resolved: ResolvedModel, way: ModelWay): LanguageModel {
  const { provider, model, baseUrl, apiKey, headers } = resolved
  const base = new URL(baseUrl) // a query is kept
  const urlOf = ({ path }: { readonly path: string }): string => `${base.origin}${base.pathname.replace(/\/+$/, '')}${path}${base.search}`
  return adaptModel({
    resolved, way,
    async load(fetch) {
      const { OpenAIResponsesLanguageModel } = await import('@ai-sdk/openai/internal')
      const sent = { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...headers }
      return new OpenAIResponsesLanguageModel(model, { provider: `${provider}.responses`, url: urlOf, headers: () => sent, fetch })
    },
    // The journal is where conversations are kept: what a model thought comes back with the request, encrypted.
    call: (options) => ({ ...options, providerOptions: { ...options.providerOptions, openai: { store: false, ...options.providerOptions?.['openai'] } } }),
    hint: (status) => (status === 404 && base.href !== new URL(OPENAI.baseUrl ?? '').href ? '; an endpoint that only speaks chat completions is the provider "openai-compatible"' : undefined),
  })
}
