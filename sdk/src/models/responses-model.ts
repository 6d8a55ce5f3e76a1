import type { LanguageModel } from '../ports/model.ts'
import { adaptModel, withOption } from './adapted-model.ts'
import type { FinishTable } from './finish-kind.ts'
import type { ModelTransport, ResolvedModel } from './keyed-provider.ts'
import { ResponseEvents } from './response-events.ts'

/** Why a response is incomplete, or failed; a whole one has no reason. */
const FINISH: FinishTable = {
  max_output_tokens: 'cut',
  max_prompt_tokens: 'cut',
  content_filter: 'refused',
  // It is incomplete, and does not say why.
  incomplete: 'cut',
  error: 'failed',
}

/** What the model of the AI SDK for OpenAI's responses is made with. */
export interface ResponsesSettings {
  /** Named after the options that the package reads and the metadata that it writes. */
  readonly provider: string
  readonly url: (request: { readonly path: string }) => string
  readonly headers: () => Record<string, string>
  readonly fetch: ModelTransport['fetch']
}

export interface ResponsesModel {
  readonly resolved: ResolvedModel
  readonly transport: ModelTransport
  /** Whose options and metadata the package is to read and write. */
  readonly options: 'openai' | 'azure'
  /** What carries the key. The headers of the configuration are sent as well, and come before. */
  readonly headers: Readonly<Record<string, string>>
  /** Makes the package's model, with a lazy import. */
  readonly load: (settings: ResponsesSettings) => Promise<LanguageModel>
  /** What to do about an answer that is no reply, by its status; appended to the message. */
  readonly hint?: (status: number) => string | undefined
}

/**
 * A model that is called over OpenAI's Responses API, at OpenAI or at a service that speaks the
 * same. Nothing is stored there: conversations are kept in the journal, and reasoning is sent back
 * encrypted.
 *
 * @returns a model that loads the package of the AI SDK at its first call
 * @example
 * responsesModel({
 *   resolved, transport, options: 'openai', headers: { authorization: `Bearer ${key}` },
 *   async load(settings) {
 *     const { OpenAIResponsesLanguageModel } = await import('@ai-sdk/openai/internal')
 *     return new OpenAIResponsesLanguageModel(resolved.model, settings)
 *   },
 * })
 */
export function responsesModel({
  resolved,
  transport,
  options: owner,
  headers,
  load,
  hint,
}: ResponsesModel): LanguageModel {
  const base = new URL(resolved.baseUrl) // a query is kept
  const sent = { ...headers, ...resolved.headers }
  return adaptModel({
    resolved,
    transport,
    events: () => new ResponseEvents(),
    finish: FINISH,
    load: (fetch) =>
      load({
        provider: `${owner}.responses`,
        url: ({ path }) =>
          `${base.origin}${base.pathname.replace(/\/+$/, '')}${path}${base.search}`,
        headers: () => sent,
        fetch,
      }),
    call: ({ seed: _seed, ...options }) => ({
      ...options,
      providerOptions: withOption(options, owner, { store: false }),
    }),
    ...(hint && { hint }),
  })
}
