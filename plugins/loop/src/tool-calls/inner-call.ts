import { callId, failure, type Failure, isReadOnly, type RunId, type ToolResult } from '@amodal/sdk'
import { dispatchInner } from '../run/inner-dispatch.ts'
import type { LoopTurn } from '../run/loop-turn.ts'
import { cleanedResult } from './cleaned-result.ts'
import type { CallInner } from './execute.ts'
import { durably, isDurable } from './durable-calls.ts'
import { perform, type Performed } from './perform.ts'
import { isPrivate } from './persistence.ts'
import { needsMore, prepareInner, type Ready } from './prepare.ts'
import type { ToolSet } from './tool-set.ts'

/**
 * Returns the function with which a running call makes inner calls: with the same guards and
 * redaction, under the approval of the outer call. Their keys derive from the outer key, so a retry
 * repeats the same ones.
 *
 * @param run the first run that made the outer call
 */
export function innerCalls(
  outer: Ready,
  tools: ToolSet,
  turn: LoopTurn,
  run: RunId = turn.run,
): CallInner {
  let count = 0
  return async (inner, signal) => {
    const id = callId(`${outer.call.id}/${++count}`)
    const prepared = await prepareInner(inner, outer.call, id, tools, turn)
    if (prepared.kind === 'refused')
      return denied({ code: prepared.code, message: prepared.message })
    const { call, reasons } = prepared
    if (isReadOnly(outer.call) && !isReadOnly(call))
      return denied(
        failure(
          'TOOL_DENIED',
          `"${outer.call.tool.name}" is read-only, and "${inner.name}" would change something`,
        ),
      )
    if (needsMore(prepared.needs, outer.needs)) {
      return denied(
        failure(
          'APPROVAL_REQUIRED',
          `"${inner.name}" needs an approval that "${outer.call.tool.name}" does not have: ${reasons.join('; ')}`,
        ),
      )
    }
    const make = async (): Promise<Pick<Performed, 'result' | 'doubts'>> =>
      call.tool.dispatches
        ? {
            result: await cleanedResult(await dispatchInner(call, turn, signal), call, turn),
            doubts: [],
          }
        : perform(call, turn, innerCalls(prepared, tools, turn, run), { until: signal, run })
    const { result, doubts } = isDurable(outer.call)
      ? await durably(call, turn, make)
      : await make()
    if (result.status === 'asks')
      return denied(
        failure(
          'APPROVAL_REQUIRED',
          `"${inner.name}" asks a person, which only a call of the model can wait for`,
        ),
      )
    // Redacted values are sealed with the outcome of the outer call.
    if (result.redacted) turn.addRedacted(outer.call.id, result.redacted)
    return { result: isPrivate(call, turn) ? silent(result) : result, doubts }
  }
}

/** Removes what a private call would show to readers. */
function silent(result: Exclude<ToolResult, { status: 'asks' }>): ToolResult {
  if (result.status === 'error') return result
  const { events: _events, content: _content, ...rest } = result
  return rest
}

const denied = ({ code, message }: Failure) => ({
  result: { status: 'error', code, message } as const,
  doubts: [],
})
