import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import { deadline, within } from '@amodal/kernel'
import { unquoteNumbers } from '../data/exact-number.ts'
import type { StreamPart } from '../ports/model.ts'
import { type ErrorPlace, failedReply, replyError, shownError, streamError } from './call-error.ts'
import { finishKind, type FinishTable, unifiedFinish } from './finish-kind.ts'

export interface WholeReplyOptions extends ErrorPlace {
  readonly signal: AbortSignal | undefined
  /** Of the answer: what came where a stream of events was expected. */
  readonly contentType: string | undefined
  /** What the finish reasons of the protocol mean. */
  readonly finish: FinishTable | undefined
}

/** ms that the endpoint has to end the response, so that the connection can be reused. */
const CLOSING_MS = 1_000
const NO_COUNT = { total: undefined }
const UNKNOWN: LanguageModelV4Usage = {
  inputTokens: { ...NO_COUNT, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { ...NO_COUNT, text: undefined, reasoning: undefined },
}

/**
 * The parts of one reply, with an end that says how it ended: a stream that stops, breaks or holds
 * an error has an `error` part and finishes with `error`. Calls are held back until the reply has
 * ended well. Leaving it, or aborting, leaves the source.
 */
export function wholeReply(
  source: ReadableStream<StreamPart>,
  options: WholeReplyOptions,
): ReadableStream<StreamPart> {
  const reader = source.getReader()
  const reply = new Reply(options)

  return new ReadableStream<StreamPart>(
    {
      async pull(controller) {
        const parts: StreamPart[] = []
        while (parts.length === 0) {
          try {
            const read = await reader.read()
            parts.push(...(read.done ? reply.end() : reply.take(read.value)))
          } catch (cause) {
            options.signal?.throwIfAborted()
            parts.push(...reply.fail(shownError(cause, options)))
          }
        }
        for (const part of parts) controller.enqueue(part)
        if (!reply.ended) return
        controller.close()
        void leave(reader, reply.failed)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** Reads the rest, which is usually empty: an aborted connection cannot be reused. */
async function leave(
  reader: ReadableStreamDefaultReader<StreamPart>,
  failed: boolean,
): Promise<void> {
  const limit = deadline(undefined, failed ? 0 : CLOSING_MS)
  try {
    while (!(await within(reader.read(), limit.signal)).done);
  } catch {
    await reader.cancel().catch(() => undefined)
  } finally {
    limit.clear()
  }
}

class Reply {
  ended = false
  failed = false
  readonly #options: WholeReplyOptions
  readonly #open = new Map<string, StreamPart>()
  readonly #calls: StreamPart[] = []
  #hasEvents = false
  /** Something in it took tokens. */
  #hasContent = false

  constructor(options: WholeReplyOptions) {
    this.#options = options
  }

  take(part: StreamPart): readonly StreamPart[] {
    if (part.type !== 'stream-start') this.#hasEvents = true
    if (CONTENT.has(part.type)) this.#hasContent = true
    switch (part.type) {
      case 'text-start':
        this.#open.set(part.id, { type: 'text-end', id: part.id })
        return [part]
      case 'reasoning-start':
        this.#open.set(part.id, { type: 'reasoning-end', id: part.id })
        return [part]
      case 'text-end':
      case 'reasoning-end':
        this.#open.delete(part.id)
        return [part]
      case 'tool-call':
        this.#calls.push({ ...part, input: unquoteNumbers(part.input) })
        return []
      case 'error':
        return this.fail(streamError(part.error, this.#options))
      case 'finish':
        return this.#finish(part)
      default:
        return [part]
    }
  }

  #finish(part: Extract<StreamPart, { type: 'finish' }>): readonly StreamPart[] {
    const { unified, raw } = part.finishReason
    if (unified === 'interrupted' || (unified === 'other' && raw === undefined)) return this.end()
    const kind = finishKind(part.finishReason, this.#options.finish)
    if (kind === 'failed') return this.fail(failedReply(raw ?? unified, this.#options.url))
    this.ended = true
    return [
      ...this.#closed(),
      ...this.#calls,
      {
        ...part,
        finishReason: { unified: unifiedFinish(kind, this.#calls.length > 0), raw },
        usage: counted(part.usage, this.#hasContent),
      },
    ]
  }

  /** The stream is over. */
  end(): readonly StreamPart[] {
    const hint = this.#hasEvents
      ? ''
      : `: it holds no event; its content type is ${this.#options.contentType ?? 'not given'}`
    return this.fail(
      replyError(`The stream ended without a finish reason${hint}`, this.#options.url, true),
    )
  }

  fail(error: Error): readonly StreamPart[] {
    this.ended = true
    this.failed = true
    return [
      ...this.#closed(),
      { type: 'error', error },
      { type: 'finish', finishReason: { unified: 'error', raw: undefined }, usage: UNKNOWN },
    ]
  }

  #closed(): readonly StreamPart[] {
    const ends = [...this.#open.values()]
    this.#open.clear()
    return ends
  }
}

const CONTENT: ReadonlySet<StreamPart['type']> = new Set<StreamPart['type']>([
  'text-delta',
  'reasoning-delta',
  'tool-call',
])

/** No request takes 0 tokens, and no content: an endpoint that says so has not counted. */
const counted = (
  { inputTokens, outputTokens, ...rest }: LanguageModelV4Usage,
  hasContent: boolean,
): LanguageModelV4Usage => ({
  ...rest,
  inputTokens: inputTokens.total === 0 ? UNKNOWN.inputTokens : inputTokens,
  outputTokens: outputTokens.total === 0 && hasContent ? UNKNOWN.outputTokens : outputTokens,
})
