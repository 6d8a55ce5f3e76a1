import {
  type AgentState,
  type CallState,
  Compactor,
  type Failure,
  type JournalEntry,
  type ModelCall,
  type ModelResult,
  type Step,
} from '@amodal/sdk'
import { addUsage, defined } from '@amodal/sdk/loop'
import { HISTORY_DROPPED, type HistoryPart } from './dropped-parts.ts'
import type { LoopTurn } from '../run/loop-turn.ts'
import type { Streamed } from './reply-reader.ts'
import { spend, spentOn } from './spending.ts'

/** The most characters of a provider's error to show. */
const MOST_REASON = 300

type Streaming = Extract<AgentState, { kind: 'streaming' }>
/** A call, its reply as far as it was received, and why it is incomplete. */
interface Settled {
  readonly state: Streaming
  readonly call: ModelCall
  readonly result: ModelResult
  readonly failed?: Failure
  readonly cut?: string
  readonly dropped?: Streamed['dropped']
}

/** The entries of a reply, and the next state of the run. */
export function settleReply(
  state: Streaming,
  call: ModelCall,
  { result, failure, cut, dropped }: Streamed,
  turn: LoopTurn,
): Step {
  const stopped = turn.stopped !== undefined
  const settled: Settled = {
    state,
    call,
    result,
    ...defined({ failed: stopped ? undefined : failure, cut, dropped }),
  }
  turn.modelCall = undefined
  turn.unroutedCall = undefined
  turn.text = result.text || turn.text
  if (settled.failed && isTooLong(settled.failed, turn)) return makeRoom(settled, turn)
  if (settled.failed || stopped) return breakOff(settled, turn)
  turn.record = { ...turn.record, usage: addUsage(turn.record.usage, result.usage) }
  turn.compactions = 0
  if (turn.hooks.model.done.tapped) void turn.hooks.model.done.call(call, result, turn)
  return goOn(settled, turn)
}

const isTooLong = (failed: Failure, turn: LoopTurn): boolean =>
  turn.parts.generation.scope.find(Compactor)?.overflowed(failed) === true

/** The history was too long: it is compacted, and the call repeated. */
function makeRoom({ state, call, result }: Settled, turn: LoopTurn): Step {
  const { live, clock } = turn.parts
  spend(call, result.usage, 'an attempt that failed', turn)
  if (result.text !== '' || result.reasoning !== '') live.reset(clock.now())
  return { entries: [], next: { kind: 'compacting', step: state.step, cause: 'overflow' } }
}

/** People have seen the partial text, so the history includes it. */
function breakOff(settled: Settled, turn: LoopTurn): Step {
  const { call, result, failed } = settled
  const next: AgentState = failed ? failedAs(failed, turn) : { kind: 'done', reason: 'user_abort' }
  if (result.text === '') {
    spend(call, result.usage, 'an attempt that failed', turn)
    return { entries: [], next }
  }
  turn.record = { ...turn.record, usage: addUsage(turn.record.usage, result.usage) }
  return { entries: [replyEntry(settled, { calls: [] }, turn)], next }
}

function goOn(settled: Settled, turn: LoopTurn): Step {
  const { state, call, result, cut } = settled
  if (result.calls.length > 0 && call.toolChoice === 'none') {
    // The model called tools although it may not: the calls get outcomes, and the person a text.
    if (result.text === '') turn.progress({ type: 'text_delta', content: LIMIT_REACHED })
    const text = result.text || LIMIT_REACHED
    return {
      entries: [...droppedNotes(settled, turn), replyEntry(settled, { text }, turn)],
      next: { kind: 'done', reason: 'max_turns' },
    }
  }
  const entries = [
    ...droppedNotes(settled, turn),
    replyEntry(settled, {}, turn),
    ...(cut === undefined ? [] : [turn.newEntry({ kind: 'note', code: 'warning', text: cut })]),
  ]
  if (result.calls.length === 0)
    return { entries, next: { kind: 'done', reason: reasonOf(settled, turn) } }
  const calls: CallState[] = result.calls.map(({ id, name }) => ({ id, name, phase: 'queued' }))
  return { entries, next: { kind: 'executing', step: state.step, calls } }
}

const DROPPED: Readonly<Record<HistoryPart, string>> = {
  thoughts: 'what the model thought before its earlier replies, with its signatures',
  calls: 'the form of earlier calls and results, which are sent as text',
  files: 'the files of earlier messages and results',
}

/** Notes of the parts that are no longer sent: one for the history, one for people. */
function droppedNotes({ call, dropped }: Settled, turn: LoopTurn): readonly JournalEntry[] {
  if (!dropped) return []
  const { provider, model } = call.config
  const parts = dropped.parts.map((part) => DROPPED[part]).join('; ')
  const text = `${provider}/${model} refused the conversation so far. The run continues without ${parts}. Its answer: ${dropped.failure.message.slice(0, MOST_REASON)}`
  turn.log.warn('history_dropped', { provider, model, parts: dropped.parts })
  return [
    turn.newEntry({ kind: 'note', code: HISTORY_DROPPED, text, data: [...dropped.parts] }),
    turn.newEntry({ kind: 'note', code: 'warning', text }),
  ]
}

function reasonOf(
  { state, call }: Settled,
  { record }: LoopTurn,
): 'max_turns' | 'budget_exceeded' | 'model_stop' {
  if (call.toolChoice === 'none' && state.step > 1 && state.step >= record.max_turns)
    return 'max_turns'
  return record.wrapping ? 'budget_exceeded' : 'model_stop'
}

function replyEntry(
  { state, call, result, failed }: Settled,
  { text = result.text, calls = result.calls }: Partial<Pick<ModelResult, 'text' | 'calls'>>,
  turn: LoopTurn,
): JournalEntry {
  return turn.newEntry({
    kind: 'model_reply',
    step: state.step,
    text,
    calls,
    ...spentOn(call, result.usage, turn),
    ...defined({
      reasoning: result.reasoning || undefined,
      thoughts: failed ? undefined : result.thoughts,
    }),
    finish: failed ? 'error' : result.finish,
    ms: result.ms,
  })
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
