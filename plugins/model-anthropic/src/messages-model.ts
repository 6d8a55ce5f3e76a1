import type { LanguageModel } from '@amodal/sdk'
import { adaptModel, type ModelEndpoint, type ModelWay, type ResolvedModel } from '@amodal/sdk/models'

/** Source: the API reference of Anthropic. */
export const ANTHROPIC: ModelEndpoint = {
  name: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', envVar: 'ANTHROPIC_API_KEY', model: 'claude-sonnet-4-20250514', rank: 10,
}

/** Of the API, not of a model. */
const VERSION = '2023-06-01'

export function createMessagesModel(resolved: ResolvedModel, way: ModelWay): LanguageModel {
  const { provider, model, baseUrl, apiKey, headers } = resolved
  return adaptModel({
    resolved, way,
    async load(fetch) {
      const { AnthropicLanguageModel } = await import('@ai-sdk/anthropic/internal')
      const sent = { 'anthropic-version': VERSION, ...(apiKey !== undefined && { 'x-api-key': apiKey }), ...headers }
      return new AnthropicLanguageModel(model, { provider, baseURL: baseUrl.replace(/\/+$/, ''), headers: () => sent, fetch })
    },
  })
}
