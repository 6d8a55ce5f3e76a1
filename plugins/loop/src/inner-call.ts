import {
  callId, type CallId, failure, type Failure, type InnerCall, isReadOnly, type JsonObject, type PreparedCall, type ToolResult,
  VERDICT_ORDER, type VerdictLevel,
} from '@amodal/sdk'
import type { LoopTurn } from './loop-turn.ts'
import { type CallInner, perform } from './perform.ts'
import { prepareCall, refused, type Ready } from './prepare.ts'
import type { ToolSet } from './tool-set.ts'

/** Tools that call tools that call tools: further down is a circle. */
const MOST_LEVELS = 4

/**
 * What a running call calls others with: the same guards, the same cleaning, under the approval that it has itself.
 * Their keys come from its own, so that a call that is made again makes the same ones.
 */
export function innerCalls(outer: Ready, tools: ToolSet, turn: LoopTurn): CallInner {
  const granted = levelOf(outer)
  let made = 0
  return async (inner) => {
    const id = callId(`${outer.call.id}/${++made}`)
    const prepared = await prepareInner(inner, outer.call, id, tools, turn)
    if (prepared.kind === 'refused') return denied(failure(prepared.code, prepared.message))
    const { call, reasons } = prepared
    if (isReadOnly(outer.call) && !isReadOnly(call)) return denied(failure('TOOL_DENIED', `"${outer.call.tool.name}" is read-only, and "${inner.name}" would change something`))
    if (VERDICT_ORDER[levelOf(prepared)] > VERDICT_ORDER[granted]) {
      return denied(failure('APPROVAL_REQUIRED', `"${inner.name}" needs an approval that "${outer.call.tool.name}" does not have: ${reasons.join('; ')}`))
    }
    const { result } = await perform(call, turn, innerCalls(prepared, tools, turn))
    if (result.status === 'asks') return denied(failure('APPROVAL_REQUIRED', `"${inner.name}" asks a person, which only a call of the model can wait for`))
    // It leaves with the outcome of the call that the model made.
    if (result.withheld) turn.withholding.set(outer.call.id, [...turn.withholding.get(outer.call.id) ?? [], ...result.withheld])
    return result
  }
}

/** An inner call as far as the guards: hidden tools are found where the outer one names them. */
export async function prepareInner({ name, args }: InnerCall, outer: PreparedCall, id: CallId, tools: ToolSet, turn: LoopTurn): Promise<ReturnType<typeof prepareCall>> {
  if (levels(outer) >= MOST_LEVELS) return refused('TOOL_DENIED', `tools call each other ${MOST_LEVELS} levels deep: ${name}`)
  const tool = tools.findInner(name, outer.tool)
  if (!tool) return refused('TOOL_UNKNOWN', `"${outer.tool.name}" can call no tool "${name}"`)
  return prepareCall({ id, tool, args: args satisfies JsonObject, outer }, tools, turn)
}

const levels = ({ outer }: PreparedCall): number => (outer ? levels(outer) + 1 : 1)
const levelOf = ({ needs }: Ready): VerdictLevel => (needs === 'nothing' ? 'allow' : needs)
const denied = ({ code, message }: Failure): ToolResult => ({ status: 'error', code, message })
