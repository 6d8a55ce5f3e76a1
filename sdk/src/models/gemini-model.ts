import { randomUUID } from 'node:crypto'
import type { LanguageModel } from '../ports/model.ts'
import { adaptModel, withOption } from './adapted-model.ts'
import type { FinishTable } from './finish-kind.ts'
import type { ModelTransport, ResolvedModel } from './keyed-provider.ts'
import { endingWith, jsonFields } from './reply-end.ts'
import { GEMINI_RULES } from './schema-rules.ts'

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

/** What the model of the AI SDK for Gemini is made with. */
export interface GeminiSettings {
  /** Named after the options that the package reads and the metadata that it writes. */
  readonly provider: string
  readonly baseURL: string
  readonly headers: () => Record<string, string>
  readonly fetch: ModelTransport['fetch']
  readonly generateId: () => string
}

export interface GeminiModel {
  readonly resolved: ResolvedModel
  readonly transport: ModelTransport
  /** Gemini's own API, or the one of Vertex AI, which has options and metadata of its own. */
  readonly options: 'google' | 'vertex'
  /** What carries the key. The headers of the configuration are sent as well, and come before. */
  readonly headers: Readonly<Record<string, string>>
  /** Makes the package's model, with a lazy import. */
  readonly load: (settings: GeminiSettings) => Promise<LanguageModel>
  /** What to do about an answer that is no reply, by its status; appended to the message. */
  readonly hint?: (status: number) => string | undefined
}

/**
 * A Gemini model that is called over `generateContent`, at Google's own API or on Vertex AI.
 *
 * @returns a model that loads the package of the AI SDK at its first call
 * @example
 * geminiModel({
 *   resolved, transport, options: 'google', headers: { 'x-goog-api-key': key },
 *   async load(settings) {
 *     const { GoogleLanguageModel } = await import('@ai-sdk/google/internal')
 *     return new GoogleLanguageModel(resolved.model, settings)
 *   },
 * })
 */
export function geminiModel({
  resolved,
  transport,
  options: owner,
  headers,
  load,
  hint,
}: GeminiModel): LanguageModel {
  const { baseUrl, thinking } = resolved
  const sent = { ...headers, ...resolved.headers }
  return adaptModel({
    resolved,
    transport,
    events: endingWith(endOf),
    objectArguments: true,
    finish: FINISH,
    rules: { ...GEMINI_RULES, provider: resolved.provider },
    call: (options) =>
      thinking === undefined
        ? options
        : {
            ...options,
            providerOptions: withOption(options, owner, {
              thinkingConfig: { thinkingBudget: thinking, includeThoughts: true },
            }),
          },
    load: (fetch) =>
      load({
        // What the package tells the two APIs apart by.
        provider: owner === 'vertex' ? 'google.vertex.chat' : resolved.provider,
        baseURL: baseUrl.replace(/\/+$/, ''),
        headers: () => sent,
        fetch,
        generateId: callId,
      }),
    ...(hint && { hint }),
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
