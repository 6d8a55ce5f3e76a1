/**
 * What a scripted model answers: plain data, and the few constructors that tests read well with.
 * Nothing here performs I/O; `model-frames.ts` turns a reply into bytes and `model-server.ts` plays
 * it.
 */

import { type ChatCompletionRequest, endsWithToolResult } from './model-protocol.ts'

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

export interface ScriptedUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  /** The part of `promptTokens` that came from the provider's cache. */
  readonly cachedTokens: number
  /** The part of `promptTokens` that was written to it; only some protocols tell. */
  readonly cacheWriteTokens: number
  /** The part of `completionTokens` that was reasoning. */
  readonly reasoningTokens: number
}

/** What the model thinks before it answers. */
export interface ScriptedThought {
  readonly text: string
  /** What the provider expects back with the history, if its protocol has such a value. */
  readonly signature?: string
}

export interface ScriptedToolCall {
  /** Left out: an id of the server's own, different for every request. */
  readonly id?: string
  readonly name: string
  /** A string is sent as it stands, so that broken JSON can be scripted too. */
  readonly arguments: string | { readonly [key: string]: unknown }
  /** Number of stream chunks the arguments are cut into. Default 2. */
  readonly pieces?: number
}

/**
 * How an answer stops short of its proper end. `after` counts the chunks (of text and of tool
 * arguments) that are sent first.
 */
export type Ending =
  /** Keeps the connection open and sends nothing more. */
  | { readonly kind: 'stall'; readonly after: number }
  /** Destroys the socket. */
  | { readonly kind: 'cut'; readonly after: number }
  /** Ends the response in good order, with neither a finish reason nor `[DONE]`. */
  | { readonly kind: 'truncated'; readonly after: number }
  /** Sends an error object in place of the next chunk, then ends. */
  | { readonly kind: 'error'; readonly after: number; readonly error: ScriptedError }
  /** Sends a chunk that is not JSON, then goes on as if nothing had happened. */
  | { readonly kind: 'broken-json'; readonly after: number }
  /** Repeats the text chunks until the client leaves. */
  | { readonly kind: 'endless' }
  /**
   * Ends properly and keeps the connection open, after it has sent the chunks of another answer
   * where one is named.
   */
  | { readonly kind: 'lingers'; readonly late?: Answer }

export interface ScriptedError {
  readonly message: string
  readonly type?: string
  readonly code?: string | number | null
}

export interface AnswerOptions {
  /** Default: `tool_calls` where the answer has calls, `stop` otherwise. */
  readonly finishReason?: FinishReason
  readonly usage?: Partial<ScriptedUsage>
  readonly thought?: ScriptedThought
  /** Milliseconds between chunks. Left out: the whole answer in a single write. */
  readonly pace?: number
  /** Milliseconds before the first byte. Default 0. */
  readonly delay?: number
  readonly ending?: Ending
  /** The whole answer as one JSON body, although a stream was asked for. */
  readonly unstreamed?: boolean
  /** What ends the lines of the stream. Default: a line feed. */
  readonly lineEnd?: '\r' | '\r\n'
}

export interface Answer extends AnswerOptions {
  readonly kind: 'answer'
  readonly chunks: readonly string[]
  readonly toolCalls: readonly ScriptedToolCall[]
}

export type Reply =
  | Answer
  | {
      readonly kind: 'http-error'
      readonly status: number
      readonly error: ScriptedError
      /** For the `retry-after` header: seconds, or a date. */
      readonly retryAfter?: number | string
    }
  /** Takes the request and never sends a byte. */
  | { readonly kind: 'silence' }
  /** Status 200 with these `data:` payloads and nothing else; none at all is an empty stream. */
  | { readonly kind: 'raw'; readonly payloads: readonly string[] }
  /** Status 200 with this body as it stands. */
  | {
      readonly kind: 'body'
      readonly contentType: string
      readonly text: string
      /** The connection stays open behind it. */ readonly open: boolean
    }

/**
 * One reply for every request, a list (the n-th request gets the n-th, the last one repeats), or a
 * function of the request and its number, counted from 0.
 */
export type Script =
  | Reply
  | readonly [Reply, ...Reply[]]
  | ((request: ChatCompletionRequest, n: number) => Reply | Promise<Reply>)

type Calls = ScriptedToolCall | readonly ScriptedToolCall[]

/**
 * Constructors for replies.
 *
 * @example
 * reply.text(['Hel', 'lo'], { pace: 20 })
 * reply.toolCalls({ name: 'query_store', arguments: { store: 'deals' } })
 * reply.toolsThenText({ name: 'lookup', arguments: {} }, 'Found it.')
 * reply.httpError(429, { retryAfter: 1 })
 */
export const reply = {
  text(content: string | readonly string[], options: AnswerOptions = {}): Answer {
    const chunks = typeof content === 'string' ? [content] : content
    return { ...options, kind: 'answer', chunks, toolCalls: [] }
  },

  /** One call or several in parallel; `before` is text that the model says first. */
  toolCalls(calls: Calls, options: AnswerOptions & { readonly before?: string } = {}): Answer {
    const { before, ...rest } = options
    const chunks = before === undefined ? [] : [before]
    return { ...rest, kind: 'answer', chunks, toolCalls: 'name' in calls ? [calls] : calls }
  },

  /** Calls the tools when asked by a user, and says `content` once their results are in. */
  toolsThenText(
    calls: Calls,
    content: string | readonly string[],
    options: AnswerOptions = {},
  ): Script {
    const first = reply.toolCalls(calls, options)
    const second = reply.text(content, options)
    return (request) => (endsWithToolResult(request) ? second : first)
  },

  httpError(
    status: number,
    options: Partial<ScriptedError> & { readonly retryAfter?: number | string } = {},
  ): Reply {
    const { retryAfter, message = `scripted ${status}`, ...rest } = options
    const error = { message, ...rest }
    return {
      kind: 'http-error',
      status,
      error,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    }
  },

  /** Never answers. */
  silence(): Reply {
    return { kind: 'silence' }
  },

  /** Status 200 and not one event. */
  emptyStream(): Reply {
    return { kind: 'raw', payloads: [] }
  },

  raw(payloads: readonly string[]): Reply {
    return { kind: 'raw', payloads }
  },

  body(
    text: string,
    {
      contentType = 'text/event-stream',
      open = false,
    }: { readonly contentType?: string; readonly open?: boolean } = {},
  ): Reply {
    return { kind: 'body', contentType, text, open }
  },
} as const
