import {
  type AgentState,
  err,
  type Failure,
  type ModelCall,
  modelErrorOf,
  ok,
  type Result,
  sleep,
  type Step,
} from '@amodal/sdk'
import { emitDetail, wireReply } from './detail-events.ts'
import type { LoopTurn } from '../run/loop-turn.ts'
import { streamRepaired } from './repaired-stream.ts'
import { limitsOf, routed, withConfig } from './routing.ts'
import { settleReply } from './settle-reply.ts'
import { spend } from './spending.ts'

/** Makes the model call: deltas are emitted as they arrive, and the reply is one entry. */
export async function streaming(
  state: Extract<AgentState, { kind: 'streaming' }>,
  turn: LoopTurn,
): Promise<Step> {
  // No prepared call, for example after a hook redirected the run to this state: prepare it first.
  if (!turn.modelCall) return { entries: [], next: { kind: 'thinking', step: state.step } }
  for (let call = turn.modelCall; ;) {
    emitDetail(turn, () => ({ type: 'llm_start', iteration: call.step }))
    const repaired = await streamRepaired(call, turn)
    const { streamed } = repaired
    call = repaired.call
    const retryCall =
      streamed.failure && turn.stopped === undefined
        ? await retry(call, streamed.failure, turn)
        : undefined
    if (retryCall?.ok) spend(call, streamed.result.usage, 'an attempt that failed', turn)
    if (!streamed.failure && turn.stopped === undefined)
      emitDetail(turn, () => ({
        type: 'llm_end',
        iteration: call.step,
        message: wireReply(call, streamed.result),
      }))
    if (!retryCall) return settleReply(state, call, streamed, turn)
    if (!retryCall.ok)
      return settleReply(state, call, { ...streamed, failure: retryCall.error }, turn)
    turn.parts.live.reset(turn.parts.clock.now())
    const { attempt, profile } = (call = retryCall.value)
    const { failure: failed } = streamed
    if (failed)
      emitDetail(turn, () => ({
        type: 'retry',
        attempt,
        reason: modelErrorOf(failed).class,
        ...(profile !== undefined && { profile_id: profile }),
      }))
  }
}

/**
 * The next call of a retry, or the failure to end with; `undefined` where no tap decides.
 *
 * @param unrouted the call before it was routed and changed
 */
export async function retry(
  call: ModelCall,
  failed: Failure,
  turn: LoopTurn,
  unrouted = turn.unroutedCall,
): Promise<Result<ModelCall, Failure> | undefined> {
  const { hooks } = turn
  // another model does not extend the budget
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
  const next = await routed({ ...(unrouted ?? call), attempt }, turn)
  return turn.stopped === undefined ? next : undefined
}
