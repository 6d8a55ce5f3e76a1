import { textStart } from '@amodal/sdk/data'
import { APICallError, type JSONObject, type LanguageModelV4FinishReason } from '@ai-sdk/provider'
import type { StreamPart } from '@amodal/sdk'
import { failedReply, finishKind, replyError, unifiedFinish } from '@amodal/sdk/model'
import { FINISH } from './finish-reasons.ts'
import { Attachments, KEY } from './attachments.ts'
import { isRecord, numberOf, parseJson, textOf } from './json.ts'
import { type ContentPiece, ThinkBlocks } from './think-blocks.ts'
import { ToolDeltas } from './tool-deltas.ts'
import { readUsage } from './usage.ts'

type Block = 'text' | 'reasoning'
const BLOCK_IDS = { text: 'text', reasoning: 'reasoning' } as const

const THOUGHTS = ['reasoning_content', 'reasoning'] as const

/** Reasons that end a reply with calls. */
const OF_CALLS: ReadonlySet<string> = new Set(['tool_calls', 'function_call', 'tool_use'])

/**
 * One reply, from the data of its events to the parts of the AI SDK. Nothing is waited for and
 * nothing is piped: a web stream per stage is what a reply costs most.
 */
export class Reply {
  readonly #emit: (part: StreamPart) => void
  readonly #url: string
  readonly #tools: ToolDeltas
  readonly #think = new ThinkBlocks()
  readonly #attached = new Attachments()
  /** The name that the endpoint has for thoughts in plain words. */
  #thoughtField: string | undefined
  #open: Block | undefined
  #finish: string | undefined
  #refused = false
  #hasText = false
  #usage: unknown
  #identified = false
  /** Nothing follows: the finish part has been sent. */
  ended = false

  constructor(url: string, emit: (part: StreamPart) => void) {
    this.#emit = emit
    this.#url = url
    this.#tools = new ToolDeltas(emit)
  }

  /** The model has finished, and only counts and the end mark may follow. */
  get finished(): boolean {
    return this.#finish !== undefined
  }

  /**
   * Takes the data of one event. What is no valid reply ends it, with an `error` part; the end mark
   * ends it well, and nothing behind it counts.
   */
  push(data: string): void {
    if (this.ended) return
    if (data === '[DONE]') return this.end('', true)
    const chunk = parseJson(data)
    if (!isRecord(chunk))
      return this.fail(
        replyError(
          `The stream holds an event that is no JSON object: ${textStart(data, 100)}`,
          this.#url,
        ),
      )
    if (chunk.error != null) return this.fail(errorOf(chunk.error, this.#url))
    this.#identify(chunk)
    // some endpoints count on with every chunk: the last one holds
    if (chunk.usage != null) this.#usage = chunk.usage
    const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
    // Counts of their own are what comes last, also where no end mark does.
    if (!isRecord(choice)) return this.finished && chunk.usage != null ? this.end() : undefined
    if (choice.error != null) return this.fail(errorOf(choice.error, this.#url))
    this.#finish = textOf(choice.finish_reason) ?? this.#finish
    if (isRecord(choice.delta)) this.#delta(choice.delta)
    // of a reply that comes in one piece
    else if (isRecord(choice.message)) this.#delta(choice.message)
  }

  /**
   * The stream is over: a reply without a finish reason was cut short, unless it has an end mark
   * and nothing in it is cut. `hint` says what came instead.
   */
  end(hint = '', isMarked = false): void {
    if (this.ended) return
    const cut = (): Error =>
      replyError(`The stream ended without a finish reason${hint}`, this.#url, true)
    if (this.#finish === undefined && !isMarked) return this.fail(cut())
    this.#pieces(this.#think.end())
    this.#close()
    let calls: readonly StreamPart[]
    try {
      calls = this.#tools.end()
    } catch (cause) {
      return this.fail(cause)
    }
    const raw = this.#finish ?? this.#wholeReason(calls)
    if (raw === undefined) return this.fail(cut())
    const kind = finishKind({ unified: 'other', raw }, FINISH)
    if (kind === 'failed') return this.fail(failedReply(raw, this.#url))
    for (const part of calls) this.#emit(part)
    this.#attach()
    const isRefused = this.#refused && kind === 'success' && calls.length === 0
    this.#end({ unified: unifiedFinish(isRefused ? 'refused' : kind, OF_CALLS.has(raw)), raw })
  }

  /** The reason of a reply that came without one: none where a call or all of it is missing. */
  #wholeReason(calls: readonly StreamPart[]): string | undefined {
    const isCut = (part: StreamPart): boolean =>
      part.type === 'tool-call' && parseJson(part.input) === undefined
    if (calls.some(isCut)) return undefined
    if (calls.length > 0) return 'tool_calls'
    return this.#hasText ? 'stop' : undefined
  }

  /** Ends the reply with an error. Tool calls that were not complete never become calls. */
  fail(error: unknown): void {
    if (this.ended) return
    this.#pieces(this.#think.end())
    this.#close()
    this.#emit({ type: 'error', error })
    this.#end({ unified: 'error', raw: this.#finish })
  }

  #end(finishReason: LanguageModelV4FinishReason): void {
    this.ended = true
    this.#emit({ type: 'finish', finishReason, usage: readUsage(this.#usage) })
  }

  #delta(delta: Readonly<Record<string, unknown>>): void {
    this.#attached.add(delta)
    this.#thoughts(delta)
    if (Array.isArray(delta.content)) for (const part of delta.content) this.#contentPart(part)
    else this.#content(delta.content)
    const refusal = textOf(delta.refusal)
    this.#refused ||= refusal !== undefined
    this.#say('text', refusal)
    if (!Array.isArray(delta.tool_calls) || delta.tool_calls.length === 0) return
    if (this.#open === 'reasoning') this.#close()
    try {
      for (const call of delta.tool_calls) this.#tools.push(call)
    } catch (cause) {
      this.fail(cause)
    }
  }

  /** Mistral's form of content: parts of `text` and of `thinking`. */
  #contentPart(part: unknown): void {
    if (!isRecord(part)) return
    if (part.type === 'text') this.#content(part.text)
    if (part.type !== 'thinking' || !Array.isArray(part.thinking)) return
    for (const thought of part.thinking)
      if (isRecord(thought)) this.#say('reasoning', textOf(thought.text))
  }

  /** Words that some endpoints want back under the same name. */
  #thoughts(delta: Readonly<Record<string, unknown>>): void {
    const field = THOUGHTS.find((name) => textOf(delta[name]) !== undefined)
    if (field === undefined) return
    this.#say('reasoning', textOf(delta[field]))
    this.#thoughtField = field
  }

  /** What is attached to the reply as a whole, in a block of thoughts without a word. */
  #attach(): void {
    const { fields } = this.#attached
    if (!fields) return
    const attached = JSON.parse(JSON.stringify(fields)) as JSONObject // it was read from JSON
    this.#emit({ type: 'reasoning-start', id: 'attached' })
    this.#emit({
      type: 'reasoning-end',
      id: 'attached',
      providerMetadata: { [KEY]: { attached } },
    })
  }

  #content(value: unknown): void {
    const text = textOf(value)
    if (text !== undefined) this.#pieces(this.#think.push(text))
  }

  #pieces(pieces: readonly ContentPiece[]): void {
    for (const { block, text } of pieces) this.#say(block, text)
  }

  #say(block: Block, delta: string | undefined): void {
    if (delta === undefined) return
    this.#hasText ||= block === 'text' && delta.trim() !== ''
    const id = BLOCK_IDS[block]
    if (this.#open !== block) {
      this.#close()
      this.#open = block
      this.#emit({ type: `${block}-start`, id })
    }
    this.#emit({ type: `${block}-delta`, id, delta })
  }

  #close(): void {
    if (this.#open !== undefined)
      this.#emit({
        type: `${this.#open}-end`,
        id: BLOCK_IDS[this.#open],
        ...(this.#open === 'reasoning' &&
          this.#thoughtField !== undefined && {
            providerMetadata: { [KEY]: { field: this.#thoughtField, unsigned: true } },
          }),
      })
    this.#open = undefined
    this.#thoughtField = undefined
  }

  /** Once, from the first chunk that says it: some gateways begin with an empty one. */
  #identify(chunk: Readonly<Record<string, unknown>>): void {
    if (this.#identified) return
    const id = textOf(chunk.id)
    const modelId = textOf(chunk.model)
    const created = numberOf(chunk.created)
    if (id === undefined && modelId === undefined && created === undefined) return
    this.#identified = true
    this.#emit({
      type: 'response-metadata',
      ...(id === undefined ? {} : { id }),
      ...(modelId === undefined ? {} : { modelId }),
      ...(created ? { timestamp: new Date(created * 1000) } : {}),
    })
  }
}

/**
 * An error object in place of a chunk; where it carries an HTTP status, that decides whether to try
 * again.
 */
function errorOf(error: unknown, url: string): APICallError {
  const fields = isRecord(error) ? error : {}
  const message =
    textOf(fields.message) ?? textOf(error) ?? 'The endpoint reported an error without a message'
  const status = [fields.status, fields.code]
    .map(Number)
    .find((code) => Number.isInteger(code) && code >= 400 && code < 600)
  const type = `${textOf(fields.type) ?? ''} ${textOf(fields.code) ?? ''}`
  return new APICallError({
    message,
    url,
    requestBodyValues: {},
    data: error,
    ...(status === undefined
      ? { isRetryable: /server_error|overloaded|rate_limit|timeout|unavailable/.test(type) }
      : { statusCode: status }),
  })
}
