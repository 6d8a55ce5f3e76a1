import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { LanguageModel } from '../ports/model.ts'
import { callError, shownError } from './call-error.ts'
import type { ModelWay, ResolvedModel } from './keyed-provider.ts'
import { wholeReply } from './whole-reply.ts'

export interface AdaptedModel {
  readonly resolved: ResolvedModel
  readonly way: ModelWay
  /** Makes the model of the AI SDK; called once, at the first call, so that its package is loaded by who uses it. */
  readonly load: (fetch: ModelWay['fetch']) => Promise<LanguageModel>
  /** Settings that each call is made with. */
  readonly call?: (options: LanguageModelV4CallOptions) => LanguageModelV4CallOptions
  /** What to do about an answer that is no reply, by its status; appended to the message. */
  readonly hint?: (status: number) => string | undefined
}

/**
 * A model of the AI SDK as a turn relies on it. Its package is loaded by the first call. A reply has an end or an error, a
 * call of a reply that was cut never becomes one, and no error holds the prompt or a secret. Deadlines are the caller's.
 *
 * @example
 * adaptModel({ resolved, way, load: async (fetch) => new AcmeModel(resolved.model, { baseURL: resolved.baseUrl, headers, fetch }) })
 */
export function adaptModel({ resolved, way, load, call: settle = (options) => options, hint }: AdaptedModel): LanguageModel {
  const place = { url: resolved.baseUrl.split('?', 1)[0] ?? resolved.baseUrl, mask: way.mask } // a query can hold a key
  const reach: typeof fetch = (input, init) => way.fetch(input, init).catch((cause: unknown) => {
    init?.signal?.throwIfAborted()
    throw callError(cause, place.url)
  })
  let loading: Promise<LanguageModel> | undefined
  const loaded = (): Promise<LanguageModel> => loading ??= load(reach).catch((cause: unknown) => {
    loading = undefined
    throw cause
  })

  async function made<T>(options: LanguageModelV4CallOptions, act: (model: LanguageModel, options: LanguageModelV4CallOptions) => PromiseLike<T>): Promise<T> {
    const model = await loaded()
    options.abortSignal?.throwIfAborted()
    try {
      return await act(model, settle(options))
    } catch (cause) {
      options.abortSignal?.throwIfAborted()
      throw shownError(cause, place, hint)
    }
  }

  return {
    specificationVersion: 'v4',
    provider: resolved.provider,
    modelId: resolved.model,
    supportedUrls: {}, // files are sent with the prompt: an endpoint fetches nothing
    doGenerate: (options) => made(options, (model, call) => model.doGenerate(call)),
    async doStream(options) {
      const { stream, response } = await made(options, (model, call) => model.doStream(call))
      return {
        stream: wholeReply(stream, { ...place, signal: options.abortSignal, contentType: response?.headers?.['content-type'] }),
        ...(response && { response }),
      }
    },
  }
}
