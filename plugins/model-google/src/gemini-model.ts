import type { LanguageModel } from '@amodal/sdk'
import {
  geminiModel,
  GEMINI_RULES,
  IMAGE_TYPES,
  type ModelEndpoint,
  type ModelTransport,
  type ResolvedModel,
} from '@amodal/sdk/model'

/** Source: the API reference of Gemini. */
export const GOOGLE: ModelEndpoint = {
  name: 'google',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  envVar: 'GOOGLE_API_KEY',
  model: 'gemini-3.1-pro-preview',
  rank: 30,
  rules: GEMINI_RULES,
  takes: [...IMAGE_TYPES, 'image/heic', 'application/pdf', 'audio/*', 'video/*'],
}

export function createGeminiModel(
  resolved: ResolvedModel,
  transport: ModelTransport,
): LanguageModel {
  const { model, apiKey } = resolved
  return geminiModel({
    resolved,
    transport,
    options: 'google',
    headers: apiKey === undefined ? {} : { 'x-goog-api-key': apiKey },
    async load(settings) {
      const { GoogleLanguageModel } = await import('@ai-sdk/google/internal')
      return new GoogleLanguageModel(model, settings)
    },
  })
}
