import {
  type AgentState,
  err,
  type Failure,
  type ModelCall,
  modelErrorOf,
  type ModelSource,
  ok,
  PluginError,
  providerOf,
  type Result,
  sleep,
  type Step,
  type StreamPart,
  within,
} from '@amodal/sdk'
import { hold } from './budget.ts'
import { tellDetail, wireReply } from './details.ts'
import type { LoopTurn } from './loop-turn.ts'
import { modelFailure, ReplyReader, type Streamed } from './reply-reader.ts'
import { ReplyWatch } from './reply-watch.ts'
import { limitsOf, routed, withConfig } from './routing.ts'
import { settleReply } from './settle-reply.ts'
import { spend } from './spending.ts'
import { withFiles } from './files.ts'
import { messagesFor } from './thoughts.ts'

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
    if (!again) return settleReply(state, call, streamed, turn)
    if (!again.ok) return settleReply(state, call, { ...streamed, failure: again.error }, turn)
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
  const { stream: taps } = turn.hooks.model
  const transforms = taps.tapped ? taps.call(call, turn) : ok([])
  if (!transforms.ok) return reader.end(transforms.error.toFailure())
  reader.transforms = transforms.value

  const watch = new ReplyWatch(turn)
  try {
    const given = await withFiles(call, turn)
    if (!given.ok) return reader.end(given.error)
    const model = source.value.open()
    if (!model.ok) return reader.end(model.error)
    const { stream: parts } = await within(
      model.value.doStream({ ...requestOf(given.value), abortSignal: watch.signal }),
      watch.signal,
    )
    await readAll(parts, reader, watch)
    reader.flush()
    return reader.end(watch.signal.aborted ? watch.tooLate(name) : reader.problem(name))
  } catch (cause) {
    return reader.end(
      watch.tooLate(name) ??
        (PluginError.is(cause) ? cause.toFailure() : modelFailure(call, cause)),
    )
  } finally {
    watch.end()
  }
}

/** The call as its provider takes it. */
function requestOf({
  system,
  systemOptions,
  config,
  messages,
  tools,
  toolChoice,
  settings,
}: ModelCall) {
  const head = {
    role: 'system' as const,
    content: system,
    ...(systemOptions && { providerOptions: systemOptions }),
  }
  const prompt = [...(system === '' ? [] : [head]), ...messagesFor(config.provider, messages)]
  return {
    prompt,
    ...(tools.length === 0 ? {} : { tools: [...tools], toolChoice: { type: toolChoice } }),
    includeRawChunks: false,
    ...settings,
  }
}

/** Until the stream is over, the reader wants no more, or the watch gives it up. */
async function readAll(
  parts: ReadableStream<StreamPart>,
  reader: ReplyReader,
  watch: ReplyWatch,
): Promise<void> {
  const { signal } = watch
  const incoming = parts.getReader()
  // Cancelling ends a pending read at once, also where a provider ignores the signal.
  const cancel = (): void => void incoming.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    for (let next = await incoming.read(); !next.done; next = await incoming.read()) {
      watch.heard()
      if (reader.part(next.value)) break
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
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
