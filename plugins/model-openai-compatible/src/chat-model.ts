import { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Prompt,
  type LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import type { LanguageModel } from '@amodal/sdk'
import { callError, commonRules, ToolFitter } from '@amodal/sdk/model'
import { httpError } from './http-error.ts'
import { replyStream } from './reply-stream.ts'
import { RequestBodies, type RequestBody } from './request-bodies.ts'
import { hasImages, withoutResultImages } from './result-images.ts'
import { withReturned } from './returned-thoughts.ts'
import { alternating, withReplies } from './user-turns.ts'

export interface ChatModelOptions {
  /** The provider's name, for errors and usage. */
  readonly provider: string
  readonly model: string
  /** Up to and without `/chat/completions`; a query is kept. */
  readonly baseUrl: string
  /** Resolved: sent as they stand. */
  readonly headers: Readonly<Record<string, string>>
  readonly parameters: Readonly<Record<string, string | null>>
  /** `false`: images of results are not sent. */
  readonly resultImages: boolean
  /** Nothing but a reply may follow the results of calls. */
  readonly repliesToResults: boolean
  readonly fetch: typeof fetch
  /** Masks secrets in responses of the endpoint. */
  readonly mask: (text: string) => string
  /** The endpoint supports a response schema; others support plain JSON mode only. */
  readonly structured?: boolean
  readonly strictTools?: boolean
}

/**
 * A chat-completions model. The AI SDK turns the prompt into the request; the reply is read by
 * {@link Reply}, at a third of the processor time of the five web streams the SDK pipes it through.
 */
export function createChatModel(options: ChatModelOptions): LanguageModel {
  const url = completionsUrl(options.baseUrl)
  const shown = url.split('?', 1)[0] ?? url // a query can hold a key
  const sdk = new OpenAICompatibleChatLanguageModel(options.model, {
    provider: `${options.provider}.chat`,
    url: () => url,
    headers: () => ({ ...options.headers }),
    fetch: options.fetch,
    supportsStructuredOutputs: options.structured ?? true,
    transformRequestBody: (body) => withParameters(body, options.parameters),
  })
  const fitter = new ToolFitter(commonRules(options.provider), options.strictTools)
  const bodies = new RequestBodies((call) => sdk.prepareRequest(call))
  /** Set once the endpoint has refused to be asked for usage. */
  let silentUsage = false
  /** Set once the endpoint has refused images of results, and taken the same without them. */
  let blind = !options.resultImages

  async function post(call: LanguageModelV4CallOptions, body: RequestBody): Promise<Response> {
    const asked = silentUsage
      ? {}
      : withParameters({ stream_options: { include_usage: true } }, options.parameters)
    const init = {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...options.headers,
        ...defined(call.headers),
      },
      body: body.text({ stream: true, ...asked }),
    }
    const response = await options
      .fetch(url, { ...init, signal: call.abortSignal ?? null })
      .catch((cause: unknown) => {
        call.abortSignal?.throwIfAborted()
        throw callError(cause, shown)
      })
    if (response.ok) return response
    const error = await httpError(response, shown, options.mask)
    if (
      'stream_options' in asked &&
      /stream_options|include_usage/.test(error.responseBody ?? '')
    ) {
      silentUsage = true
      return post(call, body)
    }
    throw error
  }

  return {
    specificationVersion: 'v4',
    provider: sdk.provider,
    modelId: sdk.modelId,
    supportedUrls: sdk.supportedUrls,
    doGenerate: (call) =>
      sdk.doGenerate({
        ...fitter.call(call),
        prompt: messagesOf(call.prompt, !blind, options),
      }),
    async doStream(asked): Promise<LanguageModelV4StreamResult> {
      const given = fitter.call(asked)
      const send = async (images: boolean): Promise<readonly [RequestBody, Response]> => {
        const made = await bodies.make({
          ...given,
          prompt: messagesOf(given.prompt, images, options),
        })
        return [made, await post(given, made)]
      }
      const [body, response] = await send(!blind).catch(async (cause: unknown) => {
        // Otherwise an image in the history would make every later turn fail.
        if (blind || !given.prompt.some(hasImages) || !mayRefuseImages(cause)) throw cause
        const taken = await send(false)
        blind = true
        return taken
      })
      const stream = replyStream(response, {
        url: shown,
        warnings: body.warnings,
        signal: given.abortSignal,
        mask: options.mask,
      })
      return { stream, response: { headers: Object.fromEntries(response.headers) } }
    },
  }
}

/** The messages as chat endpoints take them. */
function messagesOf(
  prompt: LanguageModelV4Prompt,
  images: boolean,
  { repliesToResults }: ChatModelOptions,
): LanguageModelV4Prompt {
  const messages = alternating(withoutResultImages(withReturned(prompt), images))
  return repliesToResults ? withReplies(messages) : messages
}

/**
 * Endpoints say it in many ways: any of these may be about an image, a failure of the server only
 * if it says so.
 */
function mayRefuseImages(cause: unknown): boolean {
  if (!APICallError.isInstance(cause)) return false
  const { statusCode = 0, responseBody = '' } = cause
  return (
    [400, 404, 413, 415, 422].includes(statusCode) ||
    (statusCode >= 500 && /image|vision|multi-?modal|mmproj/i.test(responseBody))
  )
}

function completionsUrl(baseUrl: string): string {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`
  return url.href
}

/** Renames parameters, and drops those the endpoint refuses. */
function withParameters(
  body: Readonly<Record<string, unknown>>,
  parameters: ChatModelOptions['parameters'],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      const sent = parameters[name]
      return sent === null ? [] : [[sent ?? name, value]]
    }),
  )
}

function defined(headers: LanguageModelV4CallOptions['headers'] = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
