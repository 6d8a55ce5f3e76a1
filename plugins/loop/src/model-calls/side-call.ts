import {
  type SideCallRequest,
  chooseModel,
  err,
  failure,
  type Failure,
  type ModelCall,
  type ModelResult,
  ok,
  type Result,
} from '@amodal/sdk'
import { noModelFound } from '@amodal/sdk/loop'
import type { LoopTurn } from '../run/loop-turn.ts'
import { routed, settingsOf } from './routing.ts'
import { spend } from './spending.ts'
import { stream } from './model-stream.ts'
import { retry } from './streaming.ts'

/**
 * Calls a model outside of the conversation, without tools and without emitting events. The call
 * passes the same taps as every other call, so redaction and failover apply to it.
 */
export async function sideCall(
  { tier, system, text, maxOutputTokens }: SideCallRequest,
  turn: LoopTurn,
): Promise<Result<ModelResult, Failure>> {
  const {
    hooks,
    parts: { generation },
  } = turn
  const config = chooseModel(generation, turn.bundle, tier)
  if (!config) return err(noModelFound(generation))
  const unrouted: ModelCall = {
    tier,
    config,
    system,
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    tools: [],
    toolChoice: 'none',
    step: turn.step,
    attempt: 0,
    aside: true,
    settings: {
      ...settingsOf(config, {}, true),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    },
  }
  for (let call: Result<ModelCall, Failure> | undefined = await routed(unrouted, turn); ;) {
    if (!call.ok) return err({ code: call.error.code, message: call.error.message })
    const { result, failure: failed } = await stream(call.value, turn)
    spend(
      call.value,
      result.usage,
      failed ? 'a call beside the conversation that failed' : 'a call beside the conversation',
      turn,
    )
    if (turn.stopped !== undefined) return err(failure('CANCELLED', 'the run was stopped'))
    if (!failed) {
      if (hooks.model.done.tapped) void hooks.model.done.call(call.value, result, turn)
      return ok(result)
    }
    const retryCall = await retry(call.value, failed, turn, unrouted)
    if (!retryCall) return err(failed)
    call = retryCall
  }
}
