import { failure, PluginError, type Failure } from '../errors.ts'
import { callId } from '../ids.ts'
import { clean } from '../journal/hash.ts'
import type { ReplyCall } from '../journal/entry.ts'
import { NO_USAGE, addUsage, usageOf, type Prompt, type Usage } from '../messages.ts'
import type { ModelCall, ModelResult, StreamPart, StreamTransform } from '../ports/model.ts'
import { messageOf } from '../result.ts'
import { deadline, sleep } from '../time.ts'
import { providerOf } from './compile.ts'
import type { AgentState, CallState } from './state.ts'
import type { Step, Turn } from './turn.ts'

type Streamed = { readonly result: ModelResult; readonly failure?: Failure; readonly began: boolean }

/** Makes the model call and reads its stream: deltas go out as they come, the reply is one fact. */
export async function streaming(state: Extract<AgentState, { kind: 'streaming' }>, turn: Turn): Promise<Step> {
  let call = turn.call
  if (!call) return { facts: [], next: { kind: 'thinking', step: state.step } } // picked up after a crash: ask again
  for (;;) {
    const streamed = await stream(call, turn)
    if (!streamed.failure || turn.stopped) return settle(state, turn, call, streamed)
    const again = await retry(call, streamed, turn)
    if (!again) return settle(state, turn, call, streamed)
    if (streamed.began) turn.parts.live.retry(turn.parts.clock.now())
    call = again
  }
}

async function retry(call: ModelCall, streamed: Streamed, turn: Turn): Promise<ModelCall | undefined> {
  const { hooks } = turn
  if (!hooks.model.failed.tapped || !streamed.failure) return undefined
  const verdict = await hooks.model.failed.call(streamed.failure, call, call.attempt, turn)
  if (!verdict.ok || verdict.value?.action !== 'retry') return undefined
  await sleep(verdict.value.afterMs, turn.signal)
  if (turn.stopped) return undefined
  return { ...call, attempt: call.attempt + 1, ...(verdict.value.config ? { config: verdict.value.config } : {}) }
}

function settle(state: Extract<AgentState, { kind: 'streaming' }>, turn: Turn, call: ModelCall, { result, failure: failed }: Streamed): Step {
  turn.call = undefined
  turn.record = { ...turn.record, usage: addUsage(turn.record.usage, result.usage) }
  turn.text = result.text || turn.text
  const cut = failed !== undefined || turn.stopped !== undefined
  const reply = {
    kind: 'model_reply' as const, step: state.step, text: result.text, calls: cut ? [] : result.calls, usage: result.usage,
    ...(result.reasoning === '' ? {} : { reasoning: result.reasoning }),
    model: { provider: call.config.provider, model: call.config.model }, finish: result.finish, ms: result.ms,
  }
  if (turn.stopped) return { facts: result.text === '' ? [] : [turn.fact(reply)], next: { kind: 'done', reason: 'user_abort' } }
  // The person has seen the text that came before the failure, so the history keeps it.
  if (failed) return { facts: result.text === '' ? [] : [turn.fact({ ...reply, finish: 'error' })], next: turn.done(failed) }

  const fact = turn.fact(reply)
  if (fact.kind === 'model_reply') turn.reply = fact
  if (turn.hooks.model.done.tapped) void turn.hooks.model.done.call(call, result, turn)
  const last = state.step >= turn.record.max_turns
  if (result.calls.length === 0) {
    const limited = last && state.step > 1 || turn.record.wrapping === true
    return { facts: [fact], next: { kind: 'done', reason: limited ? 'max_turns' : 'model_stop' } }
  }
  if (call.toolChoice === 'none') {
    // A model that calls tools although it was told not to: the calls get outcomes, the person gets words.
    if (result.text === '') turn.progress({ type: 'text_delta', content: LIMIT_REACHED })
    const told = result.text === '' ? turn.fact({ ...reply, text: LIMIT_REACHED }) : fact
    return { facts: [told], next: { kind: 'done', reason: 'max_turns' } }
  }
  const calls: CallState[] = result.calls.map(({ id, name }) => ({ id, name, phase: 'queued' }))
  return { facts: [fact], next: { kind: 'executing', step: state.step, calls } }
}

const LIMIT_REACHED = 'I have used up the turns I was given before I could finish. Ask me to go on, or raise `limits.maxTurns`.'

async function stream(call: ModelCall, turn: Turn): Promise<Streamed> {
  const reader = new ReplyReader(call, turn)
  const provider = providerOf(turn.parts.generation, call.config)
  const model = provider.ok ? provider.value.model(call.config) : provider
  if (!model.ok) return reader.end(model.error)
  const transforms = turn.hooks.model.stream.tapped ? turn.hooks.model.stream.call(call, turn) : undefined
  if (transforms && !transforms.ok) return reader.end(transforms.error.toFailure())
  reader.transforms = transforms?.value ?? []

  const { firstPartMs, stallMs } = turn.parts.settings
  const limit = deadline(turn.signal, firstPartMs)
  const watch = new StallWatch(stallMs)
  turn.parts.alive(firstPartMs)
  try {
    const { stream: parts } = await within(model.value.doStream({
      prompt: [...(call.system === '' ? [] : [{ role: 'system' as const, content: call.system }]), ...call.messages] as Prompt,
      ...(call.tools.length === 0 ? {} : { tools: [...call.tools], toolChoice: { type: call.toolChoice } }),
      abortSignal: AbortSignal.any([limit.signal, watch.signal]), includeRawChunks: false, ...call.settings,
    }), limit.signal)
    const source = parts.getReader()
    // Cancelling ends a pending read at once, also where a provider ignores the signal.
    const cancel = (): void => void source.cancel().catch(() => undefined)
    limit.signal.addEventListener('abort', cancel, { once: true })
    watch.signal.addEventListener('abort', cancel, { once: true })
    let ended = false
    try {
      for (let waiting = true; ;) {
        const { done, value } = await source.read()
        ended = done
        if (done) break
        // Headers alone are no answer: these parts come before the model has said anything.
        if (waiting && value.type !== 'stream-start' && value.type !== 'response-metadata') {
          waiting = false
          limit.clear()
          watch.start(turn.signal)
        }
        watch.seen()
        if (reader.part(value)) break
      }
    } finally {
      limit.signal.removeEventListener('abort', cancel)
      watch.signal.removeEventListener('abort', cancel)
      if (!ended) cancel()
    }
    reader.flush()
    if (turn.stopped) return reader.end(undefined)
    if (limit.signal.aborted) return reader.end(failure('MODEL_TIMEOUT', `${call.config.provider}/${call.config.model} sent nothing within ${firstPartMs} ms`))
    if (watch.signal.aborted) return reader.end(failure('MODEL_TIMEOUT', `${call.config.provider}/${call.config.model} stopped sending for ${stallMs} ms`))
    return reader.end(reader.failure ?? (reader.finished ? undefined : failure('MODEL_MALFORMED', `${call.config.provider}/${call.config.model} ended its reply without finishing it`)))
  } catch (cause) {
    if (limit.signal.aborted && !turn.stopped) return reader.end(failure('MODEL_TIMEOUT', `${call.config.provider}/${call.config.model} sent nothing within ${firstPartMs} ms`))
    return reader.end(PluginError.is(cause) ? cause.toFailure() : modelFailure(call, cause))
  } finally {
    limit.clear()
    watch.clear()
    turn.parts.alive()
  }
}

const modelFailure = (call: ModelCall, cause: unknown): Failure =>
  failure('MODEL_FAILED', `${call.config.provider}/${call.config.model}: ${messageOf(cause)}`, { cause })

function within<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)))
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then((value) => { signal.removeEventListener('abort', stop); resolve(value) }, (cause: unknown) => { signal.removeEventListener('abort', stop); reject(cause instanceof Error ? cause : new Error(String(cause))) })
  })
}

/** One timer for a whole stream, not one per part. */
class StallWatch {
  readonly #controller = new AbortController()
  readonly #ms: number
  #seen = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ms: number) { this.#ms = ms }
  get signal(): AbortSignal { return this.#controller.signal }
  seen(): void { this.#seen = performance.now() }
  start(parent: AbortSignal): void {
    parent.addEventListener('abort', this.#follow, { once: true })
    this.#parent = parent
    this.#arm(this.#ms)
  }
  clear(): void {
    clearTimeout(this.#timer)
    this.#parent?.removeEventListener('abort', this.#follow)
  }
  #parent: AbortSignal | undefined
  readonly #follow = (): void => this.#controller.abort()
  #arm(ms: number): void {
    this.#timer = setTimeout(() => {
      const left = this.#seen + this.#ms - performance.now()
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
  readonly #turn: Turn
  readonly #start: number
  #text = ''
  #reasoning = ''
  #calls: ReplyCall[] = []
  #usage: Usage = NO_USAGE
  #finish = 'other'
  #began = false

  constructor(call: ModelCall, turn: Turn) {
    this.#call = call
    this.#turn = turn
    this.#start = turn.parts.clock.monotonic()
  }

  /** `true`: nothing more is wanted. */
  part(part: StreamPart): boolean {
    return this.#through(part, 0)
  }

  flush(): void {
    for (const [index, { plugin, value }] of this.transforms.entries()) {
      for (const part of this.#guarded(plugin, () => value.flush())) this.#through(part, index + 1)
    }
  }

  end(failed: Failure | undefined): Streamed {
    const ms = Math.round(this.#turn.parts.clock.monotonic() - this.#start)
    const cut = this.#finish === 'length'
    const calls = cut ? this.#calls.map((one) => ({ ...one, broken: 'The reply was cut off by the token limit, so this call is incomplete.' })) : this.#calls
    return { began: this.#began, result: { text: clean(this.#text), reasoning: this.#reasoning, calls, usage: this.#usage, finish: this.#finish, ms }, ...(failed ? { failure: failed } : {}) }
  }

  #through(part: StreamPart, from: number): boolean {
    const transform = this.transforms[from]
    if (!transform) return this.#take(part)
    let over = false
    for (const out of this.#guarded(transform.plugin, () => transform.value.push(part))) over = this.#through(out, from + 1) || over
    return over
  }

  #guarded(plugin: string, work: () => readonly StreamPart[]): readonly StreamPart[] {
    try {
      return work()
    } catch (cause) {
      throw new PluginError(plugin, 'hook', 'model.stream', cause)
    }
  }

  #take(part: StreamPart): boolean {
    switch (part.type) {
      case 'text-delta':
        if (part.delta === '') return false
        this.#began = true
        this.#text += part.delta
        this.#turn.progress({ type: 'text_delta', content: part.delta })
        return this.#tooLong()
      case 'reasoning-delta':
        this.#reasoning += part.delta
        return this.#tooLong()
      case 'tool-call':
        this.#calls.push(this.#toolCall(part.toolCallId, part.toolName, part.input))
        return false
      case 'finish':
        this.#usage = usageOf(part.usage)
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
    if (this.#text.length + this.#reasoning.length <= replyChars) return false
    this.#finish = 'length'
    this.finished = true
    this.#turn.progress({ type: 'warning', message: `The reply was cut after ${replyChars} characters.` })
    return true
  }

  /** Ids are unique in a run, whatever a model sends: the key of an effect is made of one. */
  #toolCall(id: string, name: string, input: string): ReplyCall {
    let unique = id === '' ? `call_${this.#call.step}` : id.slice(0, 100)
    for (let n = 2; this.#turn.callIds.has(unique); n++) unique = `${id === '' ? 'call' : id.slice(0, 100)}.${this.#call.step}.${n}`
    this.#turn.callIds.add(unique)
    try {
      const parsed: unknown = JSON.parse(input === '' ? '{}' : input)
      if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { id: callId(unique), name, input: input === '' ? '{}' : input }
      return { id: callId(unique), name, input: '{}', broken: 'The arguments are no JSON object.' }
    } catch (cause) {
      return { id: callId(unique), name, input: '{}', broken: `The arguments are no valid JSON: ${messageOf(cause)}` }
    }
  }
}
