import {
  type AgentState,
  callId,
  type CallState,
  Compactor,
  err,
  failure,
  type Failure,
  messageOf,
  type ModelCall,
  modelErrorOf,
  type ModelResult,
  type ModelSource,
  NO_USAGE,
  ok,
  PluginError,
  type Prompt,
  providerOf,
  type ReplyCall,
  type Result,
  sleep,
  type Step,
  type StreamPart,
  type StreamTransform,
  trySync,
  type Usage,
  within,
} from '@amodal/sdk'
import { addUsage, clean, usageOf } from '@amodal/sdk/loop'
import { DEEPEST, isDeep } from './json-depth.ts'
import type { LoopTurn } from './loop-turn.ts'
import { hold, unfinished } from './budget.ts'
import { tellDetail, wireReply } from './details.ts'
import { limitsOf, routed, withConfig } from './routing.ts'
import { spend, spentOn } from './spending.ts'
import { messagesFor, optionsOf, Thoughts } from './thoughts.ts'

export type Streamed = {
  readonly result: ModelResult
  readonly failure?: Failure
  /** Why the reply is not whole, for people. */ readonly cut?: string
}

/** Makes the model call and reads its stream: deltas go out as they come, the reply is one fact. */
export async function streaming(
  state: Extract<AgentState, { kind: 'streaming' }>,
  turn: LoopTurn,
): Promise<Step> {
  // picked up after a crash: ask again
  if (!turn.call) return { facts: [], next: { kind: 'thinking', step: state.step } }
  for (let call = turn.call; ;) {
    tellDetail(turn, () => ({ type: 'llm_start', iteration: call.step }))
    const streamed: Streamed = await stream(call, turn)
    const again =
      streamed.failure && turn.stopped === undefined
        ? await retry(call, streamed.failure, turn)
        : undefined
    if (again?.ok) spend(call, streamed.result.usage, 'an attempt that failed', turn)
    if (!streamed.failure && turn.stopped === undefined)
      tellDetail(turn, () => ({
        type: 'llm_end',
        iteration: call.step,
        message: wireReply(call, streamed.result),
      }))
    if (!again) return settle(state, turn, call, streamed)
    if (!again.ok) return settle(state, turn, call, { ...streamed, failure: again.error })
    turn.parts.live.reset(turn.parts.clock.now())
    const { attempt, profile } = (call = again.value)
    const { failure: failed } = streamed
    if (failed)
      tellDetail(turn, () => ({
        type: 'retry',
        attempt,
        reason: modelErrorOf(failed).class,
        ...(profile !== undefined && { profile_id: profile }),
      }))
  }
}

/**
 * The call to make next, or the failure to end with; nothing where nobody has a say.
 *
 * @param asked the call before it was routed and changed
 */
export async function retry(
  call: ModelCall,
  failed: Failure,
  turn: LoopTurn,
  asked = turn.asked,
): Promise<Result<ModelCall, Failure> | undefined> {
  const { hooks } = turn
  // no other model is cheaper by being another
  if (!hooks.model.failed.tapped || failed.code === 'BUDGET_EXCEEDED') return undefined
  const verdict = await hooks.model.failed.call(failed, call, call.attempt, turn)
  if (!verdict.ok || !verdict.value) return undefined
  const { value } = verdict
  if (value.action === 'stop')
    return value.reason === undefined ? undefined : err({ ...failed, message: value.reason })
  turn.parts.alive(value.afterMs)
  await sleep(value.afterMs, turn.signal)
  if (turn.stopped !== undefined) return undefined
  const attempt = call.attempt + 1
  if (value.config) return ok({ ...withConfig(call, value.config, limitsOf(call, turn)), attempt })
  const next = await routed({ ...(asked ?? call), attempt }, turn)
  return turn.stopped === undefined ? next : undefined
}

function settle(
  state: Extract<AgentState, { kind: 'streaming' }>,
  turn: LoopTurn,
  call: ModelCall,
  { result, ...streamed }: Streamed,
): Step {
  const failed = turn.stopped === undefined ? streamed.failure : undefined
  turn.call = undefined
  turn.asked = undefined
  turn.text = result.text || turn.text
  const reply = {
    kind: 'model_reply' as const,
    step: state.step,
    text: result.text,
    calls: failed || turn.stopped ? [] : result.calls,
    ...spentOn(call, result.usage, turn),
    ...(result.reasoning === '' ? {} : { reasoning: result.reasoning }),
    ...(failed || !result.thoughts ? {} : { thoughts: result.thoughts }),
    finish: failed ? 'error' : result.finish,
    ms: result.ms,
  }
  const tooLong =
    failed !== undefined && turn.parts.generation.scope.find(Compactor)?.overflowed(failed) === true
  const isKept = !tooLong && (result.text !== '' || !(failed || turn.stopped))
  if (isKept) turn.record = { ...turn.record, usage: addUsage(turn.record.usage, result.usage) }
  else spend(call, result.usage, 'an attempt that failed', turn)
  if (tooLong) {
    if (result.text !== '' || result.reasoning !== '') turn.parts.live.reset(turn.parts.clock.now())
    return { facts: [], next: { kind: 'compacting', step: state.step, cause: 'overflow' } }
  }
  const facts = [
    turn.fact(reply),
    ...(streamed.cut === undefined || turn.stopped
      ? []
      : [turn.fact({ kind: 'note' as const, code: 'warning', text: streamed.cut })]),
  ]
  // The person has seen the text that came before the end, so the history keeps it.
  if (failed || turn.stopped)
    return {
      facts: isKept ? [turn.fact(reply)] : [],
      next: failed ? failedAs(failed, turn) : { kind: 'done', reason: 'user_abort' },
    }

  turn.squeezed = 0
  if (turn.hooks.model.done.tapped) void turn.hooks.model.done.call(call, result, turn)
  if (result.calls.length === 0) {
    const cutShort =
      call.toolChoice === 'none' && state.step > 1 && state.step >= turn.record.max_turns
    return {
      facts,
      next: {
        kind: 'done',
        reason: cutShort ? 'max_turns' : turn.record.wrapping ? 'budget_exceeded' : 'model_stop',
      },
    }
  }
  if (call.toolChoice === 'none') {
    // A model that calls tools although it was told not to: the calls get outcomes, the person gets
    // words.
    if (result.text === '') turn.progress({ type: 'text_delta', content: LIMIT_REACHED })
    return {
      facts: [turn.fact({ ...reply, text: result.text || LIMIT_REACHED })],
      next: { kind: 'done', reason: 'max_turns' },
    }
  }
  const calls: CallState[] = result.calls.map(({ id, name }) => ({ id, name, phase: 'queued' }))
  return { facts, next: { kind: 'executing', step: state.step, calls } }
}

const failedAs = (failed: Failure, turn: LoopTurn): AgentState =>
  failed.code === 'BUDGET_EXCEEDED'
    ? {
        kind: 'done',
        reason: 'budget_exceeded',
        error: { code: failed.code, message: failed.message },
      }
    : turn.done(failed)

const LIMIT_REACHED =
  'I have used up the turns I was given before I could finish. Ask me to go on, or raise `limits.maxTurns`.'

/** Makes one call; what comes of it is told as it comes, unless it is beside the conversation. */
export async function stream(call: ModelCall, turn: LoopTurn): Promise<Streamed> {
  const held = await hold(call, turn)
  if (!held.ok) return new ReplyReader(call, turn).end(held.error)
  const streamed = await read(held.value.call, turn)
  await held.value.settle(streamed.result.usage)
  return streamed
}

async function read(call: ModelCall, turn: LoopTurn): Promise<Streamed> {
  const reader = new ReplyReader(call, turn)
  const name = `${call.config.provider}/${call.config.model}`
  const source = await sourceOf(call, turn)
  if (!source.ok) return reader.end(source.error.toFailure())
  const transforms = turn.hooks.model.stream.tapped
    ? turn.hooks.model.stream.call(call, turn)
    : undefined
  if (transforms && !transforms.ok) return reader.end(transforms.error.toFailure())
  reader.transforms = transforms?.value ?? []

  const watch = new Watch(turn)
  try {
    const model = source.value.open()
    if (!model.ok) return reader.end(model.error)
    const { stream: parts } = await within(
      model.value.doStream({
        prompt: [
          ...(call.system === ''
            ? []
            : [
                {
                  role: 'system' as const,
                  content: call.system,
                  ...(call.systemOptions && { providerOptions: call.systemOptions }),
                },
              ]),
          ...messagesFor(call.config.provider, call.messages),
        ] as Prompt,
        ...(call.tools.length === 0
          ? {}
          : { tools: [...call.tools], toolChoice: { type: call.toolChoice } }),
        abortSignal: watch.signal,
        includeRawChunks: false,
        ...call.settings,
      }),
      watch.signal,
    )
    const incoming = parts.getReader()
    // Cancelling ends a pending read at once, also where a provider ignores the signal.
    const cancel = (): void => void incoming.cancel().catch(() => undefined)
    watch.signal.addEventListener('abort', cancel, { once: true })
    try {
      for (let next = await incoming.read(); !next.done; next = await incoming.read()) {
        watch.heard()
        if (reader.part(next.value)) break
      }
    } finally {
      watch.signal.removeEventListener('abort', cancel)
      cancel()
    }
    reader.flush()
    if (watch.signal.aborted) return reader.end(watch.tooLate(name))
    return reader.end(
      reader.failure ??
        reader.filtered(name) ??
        (reader.finished
          ? undefined
          : failure('MODEL_MALFORMED', `${name} ended its reply without finishing it`)),
    )
  } catch (cause) {
    return reader.end(
      watch.tooLate(name) ??
        (PluginError.is(cause) ? cause.toFailure() : modelFailure(call, cause)),
    )
  } finally {
    watch.end()
  }
}

async function sourceOf(
  call: ModelCall,
  turn: LoopTurn,
): Promise<Result<ModelSource, PluginError>> {
  const source: ModelSource = {
    open() {
      const provider = providerOf(turn.parts.generation, call.config)
      return provider.ok ? provider.value.model(call.config) : provider
    },
  }
  return turn.hooks.model.open.tapped ? turn.hooks.model.open.call(source, call, turn) : ok(source)
}

const modelFailure = (call: ModelCall, cause: unknown): Failure =>
  failure('MODEL_FAILED', `${call.config.provider}/${call.config.model}: ${messageOf(cause)}`, {
    cause,
  })

/**
 * Aborts with the turn, or where the model is silent for too long. One timer for a whole stream,
 * not one per part.
 */
class Watch {
  readonly #controller = new AbortController()
  readonly #turn: LoopTurn
  readonly #follow = (): void => this.#controller.abort()
  #allowed: number
  #began = false
  #at = performance.now()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(turn: LoopTurn) {
    this.#turn = turn
    this.#allowed = turn.parts.settings.firstPartMs
    if (turn.signal.aborted) this.#follow()
    turn.signal.addEventListener('abort', this.#follow, { once: true })
    this.#arm(this.#allowed)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  heard(): void {
    this.#at = performance.now()
    if (this.#began) return
    this.#began = true
    this.#allowed = this.#turn.parts.settings.stallMs
    this.#arm(this.#allowed)
  }

  tooLate(name: string): Failure | undefined {
    if (!this.signal.aborted || this.#turn.stopped !== undefined) return undefined
    return failure(
      'MODEL_TIMEOUT',
      this.#began
        ? `${name} stopped sending for ${this.#allowed} ms`
        : `${name} sent nothing within ${this.#allowed} ms`,
    )
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#turn.signal.removeEventListener('abort', this.#follow)
    this.#turn.parts.alive()
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer)
    this.#turn.parts.alive(ms)
    this.#timer = setTimeout(() => {
      const left = this.#at + this.#allowed - performance.now()
      if (left > 0) this.#arm(left)
      else this.#controller.abort()
    }, ms)
    this.#timer.unref?.()
  }
}

/** Turns the parts of a stream into deltas and one reply, whatever the model sends. */
class ReplyReader {
  failure: Failure | undefined
  finished = false
  transforms: readonly { readonly plugin: string; readonly value: StreamTransform }[] = []
  readonly #call: ModelCall
  readonly #turn: LoopTurn
  readonly #start: number
  #text = ''
  #reasoning = ''
  readonly #thoughts = new Thoughts()
  /** Of arguments. */
  #chars = 0
  #calls: ReplyCall[] = []
  readonly #ids = new Set<string>()
  /** Nothing until the provider has counted. */
  #usage: Usage | undefined
  #heard = false
  #finish = 'other'
  /** Set where it was cut here. */
  #cut: string | undefined

  constructor(call: ModelCall, turn: LoopTurn) {
    this.#call = call
    this.#turn = turn
    this.#start = turn.parts.clock.monotonic()
  }

  /** `true`: nothing more is wanted. */
  part(part: StreamPart): boolean {
    this.#heard = true
    this.#thoughts.take(part)
    // Whoever looks at arguments walks through them: what has no end is nobody's to look at.
    return part.type === 'tool-call' && isDeep(part.input)
      ? this.#take(part)
      : this.#through(part, 0)
  }

  flush(): void {
    for (const [index, { plugin, value }] of this.transforms.entries()) {
      for (const part of this.#guarded(plugin, () => value.flush())) this.#through(part, index + 1)
    }
  }

  /** An answer that the provider's filter has taken back; one that was begun stands. */
  filtered(name: string): Failure | undefined {
    const empty = this.#text === '' && this.#calls.length === 0
    return empty && this.#finish === 'content-filter'
      ? failure('MODEL_FILTERED', `the content filter of ${name} withheld the answer`)
      : undefined
  }

  end(failed: Failure | undefined): Streamed {
    const ms = Math.round(this.#turn.parts.clock.monotonic() - this.#start)
    const cut = this.#finish === 'length'
    const said = `${this.#text}${this.#reasoning}${this.#calls.map(({ input }) => input).join('')}`
    // A reply that broke off is paid for all the same, and so is one whose provider does not count.
    const usage =
      this.#usage ??
      (said !== '' || (this.#heard && this.#turn.stopped !== undefined)
        ? unfinished(this.#call, said, this.#turn)
        : NO_USAGE)
    const calls = cut
      ? this.#calls.map((one) => ({
          ...one,
          broken: 'The reply was cut off by the token limit, so this call is incomplete.',
        }))
      : this.#calls
    const thoughts = this.#thoughts.kept(this.#reasoning)
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
    return { result, ...(failed ? { failure: failed } : why === undefined ? {} : { cut: why }) }
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
        if (part.delta === '') return false
        this.#text += part.delta
        if (!this.#call.aside) this.#turn.progress({ type: 'text_delta', content: part.delta })
        return this.#tooLong()
      case 'reasoning-delta':
        if (part.delta === '') return false
        this.#reasoning += part.delta
        if (!this.#call.aside) this.#turn.progress({ type: 'reasoning_delta', content: part.delta })
        return this.#tooLong()
      case 'tool-call':
        this.#chars += part.input.length
        this.#calls.push({
          ...this.#toolCall(part.toolCallId, part.toolName, part.input),
          ...(part.providerMetadata && { providerOptions: optionsOf(part.providerMetadata) }),
        })
        return this.#tooLong()
      case 'finish':
        this.#usage = isCounted(part.usage) ? usageOf(part.usage) : undefined
        this.#finish = part.finishReason.unified
        this.finished = part.finishReason.raw !== undefined || part.finishReason.unified !== 'other'
        return false
      case 'error':
        this.failure ??= modelFailure(this.#call, part.error)
        return false
      default:
        return false
    }
  }

  #tooLong(): boolean {
    const { replyChars } = this.#turn.parts.settings
    const isMany = this.#calls.length > MOST_CALLS
    if (!isMany && this.#text.length + this.#reasoning.length + this.#chars <= replyChars)
      return false
    this.#finish = 'length'
    this.finished = true
    this.#cut = `The reply was cut after ${isMany ? `${MOST_CALLS} calls` : `${replyChars} characters`}.`
    return true
  }

  /**
   * Ids are unique in a session, whatever a model sends: strict endpoints ask for it, and the key
   * of an effect is made of one.
   */
  #toolCall(id: string, name: string, input: string): ReplyCall {
    const { callIds } = this.#turn.parts.history
    const given = harmless(id, MOST_ID) || 'call'
    let unique = given
    for (let n = 2; callIds.has(unique) || this.#ids.has(unique); n++)
      unique = `${given.slice(0, MOST_ID - String(n).length - 1)}_${n}`
    this.#ids.add(unique)
    const call = { id: callId(unique), name: harmless(name, 64) || 'unnamed', input: '{}' }
    if (isDeep(input))
      return { ...call, broken: `The arguments are nested more than ${DEEPEST} deep.` }
    const parsed = trySync((): unknown => JSON.parse(input || '{}'), messageOf)
    if (!parsed.ok) return { ...call, broken: `The arguments are no valid JSON: ${parsed.error}` }
    if (typeof parsed.value === 'object' && parsed.value !== null && !Array.isArray(parsed.value))
      return { ...call, input: input || '{}' }
    return { ...call, broken: 'The arguments are no JSON object.' }
  }
}

/** By how a provider ends a reply that is not whole. */
const WHY_CUT: Readonly<Record<string, string>> = {
  length:
    'The reply was cut off at its token limit and is not complete. `maxTokens` of the model, or of `limits`, allows longer ones.',
  'content-filter':
    'The content filter of the provider has cut the reply off, and it is not complete.',
}

/** Calls of one reply; more than anybody means. */
const MOST_CALLS = 128

/** Characters of the id of a call: chat completions take no more. */
const MOST_ID = 40

/** Only characters that every provider takes back in a history. */
const harmless = (text: string, most: number): string =>
  text.slice(0, most).replaceAll(/[^\w-]/g, '_')

/** Whether the provider has said what the call took. */
const isCounted = ({
  inputTokens,
  outputTokens,
}: Extract<StreamPart, { type: 'finish' }>['usage']): boolean =>
  inputTokens.total !== undefined || outputTokens.total !== undefined

/** `Array.isArray` makes `any[]` of a readonly list. */
const isList = (value: readonly StreamPart[]): boolean => Array.isArray(value)
