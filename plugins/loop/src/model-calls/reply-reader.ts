import {
  type AgentEvent,
  callId,
  failure,
  type Failure,
  messageOf,
  type ModelCall,
  type ModelResult,
  NO_USAGE,
  PluginError,
  type ReplyCall,
  type StreamPart,
  type StreamTransform,
  trySync,
  type Usage,
} from '@amodal/sdk'
import { repairEscapes, textStart } from '@amodal/sdk/data'
import { clean, FINISH_KINDS, type FinishKind, usageOf } from '@amodal/sdk/loop'
import { estimatedUsage } from '../run/budget.ts'
import type { HistoryPart } from './dropped-parts.ts'
import { DEEPEST, isDeep } from '../tool-calls/json-depth.ts'
import type { LoopTurn } from '../run/loop-turn.ts'
import { PairJoiner } from './pair-joiner.ts'
import { optionsOf, Thoughts } from './thoughts.ts'

/** A reply, complete or up to where it failed. */
export interface Streamed {
  readonly result: ModelResult
  readonly failure?: Failure
  /** Why the reply is incomplete, for people. */
  readonly cut?: string
  /** Parts of the history that the provider refused and that were removed. */
  readonly dropped?: { readonly parts: readonly HistoryPart[]; readonly failure: Failure }
}

type Finish = Extract<StreamPart, { type: 'finish' }>['finishReason']
type Counts = Extract<StreamPart, { type: 'finish' }>['usage']

/** Turns the parts of a stream into deltas and one reply, and tolerates malformed streams. */
export class ReplyReader {
  failure: Failure | undefined
  finished = false
  transforms: readonly { readonly plugin: string; readonly value: StreamTransform }[] = []
  readonly #call: ModelCall
  readonly #turn: LoopTurn
  readonly #start: number
  #text = ''
  #reasoning = ''
  readonly #textPairs = new PairJoiner()
  readonly #reasoningPairs = new PairJoiner()
  readonly #thoughts = new Thoughts()
  /** Characters of arguments. */
  #chars = 0
  #calls: ReplyCall[] = []
  readonly #ids = new Set<string>()
  /** The usage that the provider reported, once it has. */
  #counts: Counts | undefined
  #hasParts = false
  #finish: Finish['unified'] = 'other'
  /** The provider's own name of the finish reason. */
  #reason: string | undefined
  /** Why this reader has cut the reply. */
  #cut: string | undefined

  constructor(call: ModelCall, turn: LoopTurn) {
    this.#call = call
    this.#turn = turn
    this.#start = turn.parts.clock.monotonic()
  }

  /** Reads a part. `true`: the reader is done. */
  part(part: StreamPart): boolean {
    this.#hasParts = true
    this.#thoughts.take(part)
    // Transforms traverse arguments, so arguments that are nested too deeply skip them.
    return part.type === 'tool-call' && isDeep(part.input)
      ? this.#take(part)
      : this.#through(part, 0)
  }

  flush(): void {
    for (const [index, { plugin, value }] of this.transforms.entries()) {
      for (const part of this.#guarded(plugin, () => value.flush())) this.#through(part, index + 1)
    }
    this.#textDelta(this.#textPairs.flush())
    this.#reasoningDelta(this.#reasoningPairs.flush())
  }

  /** Why the stream is no valid reply, once it is over. */
  problem(name: string): Failure | undefined {
    if (this.failure) return this.failure
    if (!this.finished)
      return failure('MODEL_MALFORMED', `${name} ended its reply without finishing it`)
    const reason = this.#reason ?? this.#finish
    const isEmpty = this.#text.trim() === '' && this.#calls.length === 0
    switch (kindOf(this.#finish)) {
      case 'success':
        return isEmpty
          ? failure('MODEL_MALFORMED', `${name} ended its reply ("${reason}") without a word in it`)
          : undefined
      case 'cut':
        return undefined
      case 'refused':
        // A partial reply is kept.
        return isEmpty
          ? failure('MODEL_FILTERED', `the content filter of ${name} withheld the answer`)
          : undefined
      case 'failed':
        return failure('MODEL_MALFORMED', `${name} ended its reply with "${reason}"`)
    }
  }

  end(failed: Failure | undefined): Streamed {
    const ms = Math.round(this.#turn.parts.clock.monotonic() - this.#start)
    const usage = this.#usage()
    const broken = WHY_BROKEN[this.#finish]
    const calls =
      broken === undefined ? this.#calls : this.#calls.map((one) => ({ ...one, broken }))
    const thoughts = this.#thoughts.thoughtsFor(this.#reasoning)
    const result = {
      text: clean(this.#text),
      reasoning: this.#reasoning,
      ...(thoughts && { thoughts }),
      calls,
      usage,
      finish: this.#finish,
      ms,
    }
    const why = this.#cut ?? WHY_CUT[this.#finish]
    if (failed) return { result, failure: failed }
    return { result, ...(why !== undefined && { cut: why }) }
  }

  /**
   * Estimates the usage that the provider did not report, since incomplete replies are billed too.
   */
  #usage(): Usage {
    const input = this.#counts?.inputTokens.total
    const output = this.#counts?.outputTokens.total
    if (input !== undefined && output !== undefined) return usageOf(this.#counts)
    const content = `${this.#text}${this.#reasoning}${this.#calls.map(({ input }) => input).join('')}`
    const isPaid = content !== '' || (this.#hasParts && this.#turn.stopped !== undefined)
    const estimate = isPaid ? estimatedUsage(this.#call, content, this.#turn) : NO_USAGE
    const counts = usageOf(this.#counts)
    return {
      ...counts,
      input: input === undefined ? estimate.input : counts.input,
      output: output === undefined ? estimate.output : counts.output,
    }
  }

  #through(part: StreamPart, from: number): boolean {
    const transform = this.transforms[from]
    if (!transform) return this.#take(part)
    let over = false
    for (const out of this.#guarded(transform.plugin, () => transform.value.push(part)))
      over = this.#through(out, from + 1) || over
    return over
  }

  #guarded(plugin: string, work: () => readonly StreamPart[]): readonly StreamPart[] {
    const parts = trySync(work, (cause) => new PluginError(plugin, 'hook', 'model.stream', cause))
    if (!parts.ok) throw parts.error
    if (!isList(parts.value))
      throw new PluginError(
        plugin,
        'hook',
        'model.stream',
        new Error('returned no list of parts'),
        'BAD_VALUE',
      )
    return parts.value
  }

  #take(part: StreamPart): boolean {
    switch (part.type) {
      case 'text-delta':
        return this.#textDelta(this.#textPairs.push(part.delta))
      case 'reasoning-delta':
        return this.#reasoningDelta(this.#reasoningPairs.push(part.delta))
      case 'tool-call':
        this.#chars += part.input.length
        this.#calls.push({
          ...this.#toolCall(part.toolCallId, part.toolName, part.input),
          ...(part.providerMetadata && { providerOptions: optionsOf(part.providerMetadata) }),
        })
        return this.#tooLong()
      case 'finish':
        this.#counts = part.usage
        this.#finish = part.finishReason.unified
        this.#reason = part.finishReason.raw
        this.finished = part.finishReason.raw !== undefined || part.finishReason.unified !== 'other'
        return false
      case 'error':
        this.failure ??= modelFailure(this.#call, part.error)
        return false
      default:
        return false
    }
  }

  #textDelta(delta: string): boolean {
    const content = this.#fitting(delta)
    this.#text += content
    return this.#emitDelta({ type: 'text_delta', content }, content.length < delta.length)
  }

  #reasoningDelta(delta: string): boolean {
    const content = this.#fitting(delta)
    this.#reasoning += content
    return this.#emitDelta({ type: 'reasoning_delta', content }, content.length < delta.length)
  }

  /**
   * Emits a delta, unless the call is outside of the conversation. `true`: the reply is too long.
   */
  #emitDelta(
    event: Extract<AgentEvent, { type: 'text_delta' | 'reasoning_delta' }>,
    isCut: boolean,
  ): boolean {
    if (event.content !== '' && !this.#call.aside) this.#turn.progress(event)
    return this.#tooLong(isCut)
  }

  /** Truncates a delta to the space that remains of the reply. */
  #fitting(delta: string): string {
    const room = this.#turn.parts.settings.replyChars - this.#length
    return textStart(delta, Math.max(0, room))
  }

  get #length(): number {
    return this.#text.length + this.#reasoning.length + this.#chars
  }

  #tooLong(isCut = false): boolean {
    const { replyChars } = this.#turn.parts.settings
    const isMany = this.#calls.length > MOST_CALLS
    if (!isMany && !isCut && this.#length <= replyChars) return false
    this.#finish = 'length'
    this.finished = true
    this.#cut = `The reply was cut after ${isMany ? `${MOST_CALLS} calls` : `${replyChars} characters`}.`
    return true
  }

  /**
   * Makes the id of a call unique in the session: strict endpoints require it, and the key of an
   * effect derives from it.
   */
  #toolCall(id: string, name: string, input: string): ReplyCall {
    const { callIds } = this.#turn.parts.history
    const given = harmless(id, MOST_ID) || 'call'
    let unique = given
    for (let n = 2; callIds.has(unique) || this.#ids.has(unique); n++)
      unique = `${given.slice(0, MOST_ID - String(n).length - 1)}_${n}`
    this.#ids.add(unique)
    const call = { id: callId(unique), name: harmless(name, 64) || 'unnamed', input: '{}' }
    // some models send an empty text for a tool without parameters
    const text = NOTHING.has(input.trim()) ? '{}' : repairEscapes(input)
    if (isDeep(input))
      return { ...call, broken: `The arguments are nested more than ${DEEPEST} deep.` }
    const parsed = trySync((): unknown => JSON.parse(text), messageOf)
    if (!parsed.ok) return { ...call, broken: `The arguments are no valid JSON: ${parsed.error}` }
    if (typeof parsed.value === 'object' && parsed.value !== null && !Array.isArray(parsed.value))
      return { ...call, input: text }
    return { ...call, broken: 'The arguments are no JSON object.' }
  }
}

/** Why a reply is incomplete, by its finish reason. */
const WHY_CUT: Readonly<Record<string, string>> = {
  length:
    'The reply was cut off at its token limit and is not complete. `maxTokens` of the model, or of `limits`, allows longer ones.',
  'content-filter':
    'The content filter of the provider has cut the reply off, and it is not complete.',
}

const WHY_BROKEN: Readonly<Record<string, string>> = {
  length: 'The reply was cut off by the token limit, so this call is incomplete.',
  'content-filter':
    'The reply was cut off by the content filter of the provider, so this call is incomplete.',
}

/** Providers may report any finish reason: unknown ones count as failed. */
const kindOf = (unified: string): FinishKind => {
  const kinds: Readonly<Record<string, FinishKind>> = FINISH_KINDS
  return Object.hasOwn(kinds, unified) ? (kinds[unified] ?? 'failed') : 'failed'
}

/** The most calls of one reply. */
const MOST_CALLS = 128

/** The most characters of a call id; chat completions accept no more. */
const MOST_ID = 40

/** Texts that models send for empty arguments. */
const NOTHING: ReadonlySet<string> = new Set(['', 'null', '""'])

/** Replaces characters that some providers reject in a history. */
const harmless = (text: string, most: number): string =>
  text.slice(0, most).replaceAll(/[^\w-]/g, '_')

/** `Array.isArray` makes `any[]` of a readonly list. */
const isList = (value: readonly StreamPart[]): boolean => Array.isArray(value)

export const modelFailure = (call: ModelCall, cause: unknown): Failure =>
  failure('MODEL_FAILED', `${call.config.provider}/${call.config.model}: ${messageOf(cause)}`, {
    cause,
  })
