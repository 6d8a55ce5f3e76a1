import { randomUUID } from 'node:crypto'
import type { LanguageModel } from '@amodal/sdk'
import {
  IMAGE_TYPES,
  adaptModel,
  endingWith,
  type FinishTable,
  GEMINI_RULES,
  jsonFields,
  type ModelEndpoint,
  type ModelTransport,
  type ResolvedModel,
  withOption,
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

/** Source: the API reference of Gemini, `FinishReason` and `BlockReason`. */
const FINISH: FinishTable = {
  stop: 'success',
  max_tokens: 'cut',
  continuation: 'cut',
  safety: 'refused',
  recitation: 'refused',
  language: 'refused',
  blocklist: 'refused',
  prohibited_content: 'refused',
  spii: 'refused',
  jailbreak: 'refused',
  model_armor: 'refused',
  image_safety: 'refused',
  image_prohibited_content: 'refused',
  image_recitation: 'refused',
  malformed_function_call: 'failed',
  malformed_response: 'failed',
  missing_thought_signature: 'failed',
  unexpected_tool_call: 'failed',
  too_many_tool_calls: 'failed',
  no_image: 'failed',
  image_other: 'failed',
  other: 'failed',
  finish_reason_unspecified: 'failed',
}

export function createGeminiModel(
  resolved: ResolvedModel,
  transport: ModelTransport,
): LanguageModel {
  const { provider, model, baseUrl, apiKey, headers, thinking } = resolved
  return adaptModel({
    resolved,
    transport,
    events: endingWith(endOf),
    objectArguments: true,
    finish: FINISH,
    rules: GEMINI_RULES,
    call: (options) =>
      thinking === undefined
        ? options
        : {
            ...options,
            providerOptions: withOption(options, 'google', {
              thinkingConfig: { thinkingBudget: thinking, includeThoughts: true },
            }),
          },
    async load(fetch) {
      const { GoogleLanguageModel } = await import('@ai-sdk/google/internal')
      const sent = { ...(apiKey !== undefined && { 'x-goog-api-key': apiKey }), ...headers }
      return new GoogleLanguageModel(model, {
        provider,
        baseURL: baseUrl.replace(/\/+$/, ''),
        headers: () => sent,
        fetch,
        generateId: callId,
      })
    },
  })
}

/** This protocol has no end mark: the last chunk has the finish reason and the counts. */
function endOf(data: string): 'last' | 'finished' | undefined {
  if (!data.includes('"finishReason"')) return undefined
  const { candidates, usageMetadata } = jsonFields(data)
  const first: unknown = Array.isArray(candidates) ? candidates[0] : undefined
  if (
    typeof first !== 'object' ||
    first === null ||
    !('finishReason' in first) ||
    first.finishReason == null
  )
    return undefined
  return usageMetadata === undefined ? 'finished' : 'last'
}

/** Calls have no ids in this protocol, or need not have. */
const callId = (): string => `call_${randomUUID().replaceAll('-', '')}`
