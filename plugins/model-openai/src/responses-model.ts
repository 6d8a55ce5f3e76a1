import type { LanguageModel } from '@amodal/sdk'
import {
  IMAGE_TYPES,
  type ModelEndpoint,
  type ModelTransport,
  type ResolvedModel,
  responsesModel,
} from '@amodal/sdk/model'

const ADDRESS = 'https://api.openai.com/v1'

/** Source: the API reference of OpenAI. */
export const OPENAI: ModelEndpoint = {
  name: 'openai',
  baseUrl: ADDRESS,
  envVar: 'OPENAI_API_KEY',
  model: 'gpt-4o',
  rank: 20,
  lacks: ['seed', 'thinking'],
  takes: [...IMAGE_TYPES, 'application/pdf'],
  carries: ['image/*', 'application/pdf'],
}

export function createResponsesModel(
  resolved: ResolvedModel,
  transport: ModelTransport,
): LanguageModel {
  const { model, baseUrl, apiKey } = resolved
  return responsesModel({
    resolved,
    transport,
    options: 'openai',
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    async load(settings) {
      const { OpenAIResponsesLanguageModel } = await import('@ai-sdk/openai/internal')
      return new OpenAIResponsesLanguageModel(model, settings)
    },
    hint: (status) =>
      status === 404 && new URL(baseUrl).href !== ADDRESS
        ? '; an endpoint that only speaks chat completions is the provider "openai-compatible"'
        : undefined,
  })
}
