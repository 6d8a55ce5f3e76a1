import { APICallError, type JSONObject, type LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { markNumbers, quoteNumbers, unquoteNumbers } from '../data/exact-number.ts'
import type { LanguageModel, StreamPart } from '../ports/model.ts'
import { callError, replyError, shownError } from './call-error.ts'
import type { FinishTable } from './finish-kind.ts'
import type { ModelTransport, ResolvedModel } from './keyed-provider.ts'
import { ToolFitter } from './fit-tools.ts'
import { endingWith, type EventReader, upToTheEnd } from './reply-end.ts'
import { commonRules, type SchemaRules } from './schema-rules.ts'
import { isWholeBody, partsOf, WholeBody, wholeBodyIn, wholeText } from './whole-body.ts'
import { wholeReply } from './whole-reply.ts'

export interface AdaptedModel {
  readonly resolved: ResolvedModel
  readonly transport: ModelTransport
  /**
   * Makes the model of the AI SDK; called once, at the first call, so that its package is loaded by
   * who uses it.
   */
  readonly load: (fetch: ModelTransport['fetch']) => Promise<LanguageModel>
  /**
   * Reads the events of a stream, one reader for each reply. Left out: they are passed on as they
   * stand, and the last of them is whichever the connection ends with.
   */
  readonly events?: () => EventReader
  /**
   * Reads the answer of a stream that is none of server-sent events, up to the end of the reply in
   * it. Left out: it is one, and `events` reads it.
   */
  readonly frames?: (response: Response) => Promise<Response>
  /** Reads a reply that came as one JSON document in place of a stream. Left out: as it stands. */
  readonly document?: (text: string) => string
  /** What its finish reasons mean. Left out: what the AI SDK makes of them. */
  readonly finish?: FinishTable
  /** Arguments of calls come as JSON inside of an event, and not as a text of JSON. */
  readonly objectArguments?: boolean
  /** What the provider takes of the schemas of tools. Left out: what every provider does. */
  readonly rules?: SchemaRules
  /** Settings that each call is made with. */
  readonly call?: (options: LanguageModelV4CallOptions) => LanguageModelV4CallOptions
  /** What to do about an answer that is no reply, by its status; appended to the message. */
  readonly hint?: (status: number) => string | undefined
}

/**
 * A model of the AI SDK as a turn relies on it. Its package is loaded by the first call. A reply
 * has an end or an error, a call of a reply that was cut never becomes one, and no error holds the
 * prompt or a secret. It ends with its last event, whatever the connection does, and may come as
 * one document. Deadlines are the caller's.
 *
 * @example
 * adaptModel({
 *   resolved,
 *   transport,
 *   load: async (fetch) =>
 *     new AcmeModel(resolved.model, { baseURL: resolved.baseUrl, headers, fetch }),
 * })
 */
export function adaptModel({
  resolved,
  transport,
  load,
  events = endingWith(() => undefined),
  frames,
  document = (text) => text,
  finish,
  objectArguments = false,
  rules,
  call: withSettings = (options) => options,
  hint,
}: AdaptedModel): LanguageModel {
  const fitter = new ToolFitter(rules ?? commonRules(resolved.provider), resolved.strictTools)
  const place = { url: withoutQuery(resolved.baseUrl), mask: transport.mask }
  const reach = reaching(transport, place.url, objectArguments)
  const complete = once(() => load(reach))
  const reading = { frames, events, read: eventReader(objectArguments), url: place.url }
  const streamed = once(() => load(streaming(reach, reading)))

  async function callModel<T>(
    options: LanguageModelV4CallOptions,
    loaded: () => Promise<LanguageModel>,
    act: Act<T>,
  ): Promise<T> {
    const model = await loaded()
    options.abortSignal?.throwIfAborted()
    try {
      return await act(model, withSettings(marked(fitter.call(options), objectArguments)))
    } catch (cause) {
      options.abortSignal?.throwIfAborted()
      throw wholeBodyIn(cause) ?? shownError(cause, place, hint)
    }
  }

  const replied = (
    parts: ReadableStream<StreamPart>,
    { abortSignal: signal }: LanguageModelV4CallOptions,
    contentType: string | undefined,
  ): ReadableStream<StreamPart> => wholeReply(parts, { ...place, signal, contentType, finish })

  return {
    specificationVersion: 'v4',
    provider: resolved.provider,
    modelId: resolved.model,
    supportedUrls: {}, // files are sent with the prompt: an endpoint fetches nothing
    doGenerate: (options) => callModel(options, complete, (model, call) => model.doGenerate(call)),
    async doStream(options) {
      try {
        const { stream: parts, response } = await callModel(options, streamed, (model, call) =>
          model.doStream(call),
        )
        const stream = replied(parts, options, response?.headers?.['content-type'])
        return response ? { stream, response } : { stream }
      } catch (cause) {
        if (!(cause instanceof WholeBody)) throw cause
        const reader = readerOf(load, () => cause.response(document))
        const reply = await callModel(options, reader, (model, call) => model.doGenerate(call))
        return { stream: replied(streamOf(partsOf(reply)), options, 'application/json') }
      }
    },
  }
}

type Act<T> = (model: LanguageModel, options: LanguageModelV4CallOptions) => PromiseLike<T>

/** The package reads its events with `JSON.parse`, which rounds. */
const eventReader = (objectArguments: boolean): ((data: string) => string) =>
  objectArguments ? quoteNumbers : (data) => data

/** A model that reads a response which is here already. */
const readerOf =
  (load: AdaptedModel['load'], response: () => Response): (() => Promise<LanguageModel>) =>
  () =>
    load(() => Promise.resolve(response()))

/** A query can hold a key. */
const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? url

const reaching =
  (transport: AdaptedModel['transport'], url: string, isMarked: boolean): typeof fetch =>
  (input, init) =>
    transport.fetch(input, isMarked ? unmarked(init) : init).catch((cause: unknown) => {
      init?.signal?.throwIfAborted()
      // An answer on the way to the model, such as one that refuses to give a token.
      throw APICallError.isInstance(cause) ? cause : callError(cause, url)
    })

/** The package would read what writes itself as JSON with `JSON.parse`. */
const marked = <T extends LanguageModelV4CallOptions>(options: T, isNeeded: boolean): T =>
  isNeeded
    ? { ...options, prompt: markNumbers(options.prompt) as T['prompt'] } // the same shape
    : options

const unmarked = (init: RequestInit | undefined): RequestInit | undefined =>
  typeof init?.body === 'string' ? { ...init, body: unquoteNumbers(init.body) } : init

interface Reading {
  readonly frames: AdaptedModel['frames']
  readonly events: () => EventReader
  readonly read: (data: string) => string
  readonly url: string
}

/** As far as the last event of a reply; what came as one document is thrown. */
const streaming =
  (reach: typeof fetch, { frames, events, read, url }: Reading): typeof fetch =>
  async (input, init) => {
    const response = await reach(input, init)
    if (!response.ok) return response
    if (!isWholeBody(response))
      return frames ? frames(response) : upToTheEnd(response, events(), read)
    const text = await wholeText(response).catch((cause: unknown) => {
      init?.signal?.throwIfAborted()
      throw callError(cause, url)
    })
    throw text === undefined
      ? replyError('The reply is longer than any reply', url)
      : new WholeBody(read(text))
  }

/** Loads a package at its first use; a failed load is retried at the next use. */
function once(load: () => Promise<LanguageModel>): () => Promise<LanguageModel> {
  let loading: Promise<LanguageModel> | undefined
  return () =>
    (loading ??= load().catch((cause: unknown) => {
      loading = undefined
      throw cause
    }))
}

function streamOf(parts: readonly StreamPart[]): ReadableStream<StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

/** The provider's own options of a call, with these where the call does not name them itself. */
export function withOption(
  options: LanguageModelV4CallOptions,
  provider: string,
  added: JSONObject,
): NonNullable<LanguageModelV4CallOptions['providerOptions']> {
  return {
    ...options.providerOptions,
    [provider]: { ...added, ...options.providerOptions?.[provider] },
  }
}
