import { randomUUID } from 'node:crypto'
import type { LanguageModel } from '@amodal/sdk'
import { adaptModel, type ModelEndpoint, type ModelWay, type ResolvedModel } from '@amodal/sdk/models'

/** Source: the API reference of Gemini. */
export const GOOGLE: ModelEndpoint = {
  name: 'google', baseUrl: 'https://generativelanguage.googleapis.com/v1beta', envVar: 'GOOGLE_API_KEY', model: 'gemini-3.1-pro-preview', rank: 30,
}

export function createGeminiModel(resolved: ResolvedModel, way: ModelWay): LanguageModel {
  const { provider, model, baseUrl, apiKey, headers } = resolved
  return adaptModel({
    resolved, way,
    async load(fetch) {
      const { GoogleLanguageModel } = await import('@ai-sdk/google/internal')
      const sent = { ...(apiKey !== undefined && { 'x-goog-api-key': apiKey }), ...headers }
      return new GoogleLanguageModel(model, { provider, baseURL: baseUrl.replace(/\/+$/, ''), headers: () => sent, fetch, generateId: callId })
    },
  })
}

/** Calls have no ids in this protocol, or need not have. */
const callId = (): string => `call_${randomUUID().replaceAll('-', '')}`
