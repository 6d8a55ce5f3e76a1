import {
  type CallId,
  err,
  failure,
  type Failure,
  hashOf,
  isObject,
  isReadOnly,
  type Json,
  type JsonObject,
  ok,
  type PreparedCall,
  type Result,
  type ToolResult,
} from '@amodal/sdk'
import { isKeyed } from '@amodal/sdk/loop'
import { commitWithin } from './commit-within.ts'
import type { LoopTurn } from '../run/loop-turn.ts'

/** Code of the notes with what a durable call has done so far. */
export const CALL_STEP = 'call_step'

type Recorded = Exclude<ToolResult, { readonly status: 'asks' }>

/** Whether a call, or the call that makes it, is durable. */
export const isDurable = ({ tool, outer }: PreparedCall): boolean =>
  tool.durable === true || (outer !== undefined && isDurable(outer))

/** What a call has recorded under a name, on this try or on an earlier one. */
export function recordedStep(call: CallId, step: string, turn: LoopTurn): Json | undefined {
  const found = turn.entries.find(
    (entry) =>
      entry.kind === 'note' &&
      entry.code === CALL_STEP &&
      isObject(entry.data) &&
      entry.data['call'] === call &&
      entry.data['step'] === step,
  )
  return found?.kind === 'note' && isObject(found.data) ? found.data['value'] : undefined
}

/** Records a step of a call, before anything depends on it. */
export const recordStep = (
  call: CallId,
  step: string,
  value: Json,
  turn: LoopTurn,
): Promise<Result<void, Failure>> =>
  commitWithin(
    [turn.newEntry({ kind: 'note', code: CALL_STEP, text: step, data: { call, step, value } })],
    turn,
  )

/**
 * Makes an inner call of a durable call: one that an earlier try has made gives the result of then.
 *
 * @param make the call
 */
export async function durably<T extends { readonly result: ToolResult }>(
  call: PreparedCall,
  turn: LoopTurn,
  make: () => Promise<T>,
): Promise<T | { readonly result: ToolResult; readonly doubts: readonly [] }> {
  const request: JsonObject = { tool: call.tool.name, args: hashOf(call.args) }
  const known = earlier(call, request, turn)
  if (!known.ok) return failed(known.error)
  if (known.value) return { result: known.value, doubts: [] }
  const mayRepeat = isReadOnly(call) || isKeyed(call) || call.tool.dispatches === true
  if (!mayRepeat) {
    const begun = await recordStep(call.id, 'begun', request, turn)
    if (!begun.ok) return failed(begun.error)
  }
  const outcome = await make()
  if (outcome.result.status === 'asks') return outcome
  const { status } = outcome.result
  const value: JsonObject = {
    ...request,
    result:
      status === 'success'
        ? { status, output: outcome.result.output }
        : { status, message: outcome.result.message, code: outcome.result.code ?? 'TOOL_FAILED' },
  }
  const ended = await recordStep(call.id, 'ended', value, turn)
  return ended.ok ? outcome : failed(ended.error)
}

const failed = ({ code, message }: Failure) => ({
  result: { status: 'error', code, message } as const,
  doubts: [] as const,
})

/** The result of an earlier try; an error where it cannot be known, or was another call. */
function earlier(
  { id, tool }: PreparedCall,
  request: JsonObject,
  turn: LoopTurn,
): Result<Recorded | undefined, Failure> {
  const [begun, ended] = [recordedStep(id, 'begun', turn), recordedStep(id, 'ended', turn)]
  const first = isObject(ended) ? ended : begun
  if (!isObject(first)) return ok(undefined)
  if (first['tool'] !== request['tool'] || first['args'] !== request['args'])
    return err(
      failure(
        'TOOL_FAILED',
        `a retry of this call has called "${tool.name}" with other arguments than the first try: what it does may depend on its input and on recorded values alone`,
      ),
    )
  if (isObject(ended)) return ok(ended['result'] as unknown as Recorded) // recorded above
  return err(
    failure(
      'OUTCOME_UNKNOWN',
      `"${tool.name}" was interrupted while it ran. Whether it took effect is unknown: check before repeating it.`,
    ),
  )
}
