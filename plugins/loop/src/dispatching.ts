import { type AgentState, type CallId, type CallState, type ChildOutcome, Dispatcher, type JsonObject, messageOf, type Step } from '@amodal/sdk'
import { prepare, toolsOf } from './prepare.ts'
import type { LoopTurn } from './loop-turn.ts'

interface ChildCall { readonly state: CallState; readonly args: JsonObject }

/** Runs the leading sub-agent calls of a step together. A child that fails is an observation. */
export async function dispatching(state: Extract<AgentState, { kind: 'dispatching' }>, turn: LoopTurn): Promise<Step> {
  const tools = await toolsOf(turn)
  if ('code' in tools) return { facts: [], next: turn.done(tools) }
  const leading: ChildCall[] = []
  for (const call of state.calls.filter(({ phase }) => phase !== 'settled')) {
    const reply = turn.reply?.calls.find(({ id }) => id === call.id)
    const prepared = turn.prepared.get(call.id) ?? (reply ? await prepare(reply, tools, turn) : undefined)
    if (prepared?.kind !== 'ready' || !prepared.call.tool.dispatches) break
    leading.push({ state: call, args: prepared.call.args })
  }
  const refused = await refusals(leading, turn)
  const allowed = leading.filter(({ state: { id } }) => !refused.has(id))
  const children = allowed.length === 0 ? [] : await childrenOf(allowed, turn)
  // Whatever a dispatcher leaves out has an outcome all the same.
  const facts = leading.map(({ state: { id, name } }) => {
    const denied = refused.get(id)
    if (denied !== undefined) return turn.fact({ kind: 'tool_outcome', call: id, name, status: 'error', code: 'TOOL_DENIED', output: denied, ms: 0 })
    const { status, summary } = typeof children === 'string' ? { status: 'error' as const, summary: children }
      : children.find(({ call }) => call === id) ?? { status: 'error' as const, summary: 'The sub-agent gave no answer.' }
    return turn.fact({ kind: 'tool_outcome', call: id, name, status, output: summary, ms: 0 })
  })
  const calls = state.calls.map((call) => (leading.some(({ state: { id } }) => id === call.id) ? { ...call, phase: 'settled' as const } : call))
  return { facts, next: { kind: 'executing', step: state.step, calls } }
}

/** Sub-agent calls that a `dispatch.start` tap refuses; one that fails refuses too. */
async function refusals(leading: readonly ChildCall[], turn: LoopTurn): Promise<ReadonlyMap<CallId, string>> {
  const refused = new Map<CallId, string>()
  const { start } = turn.hooks.dispatch
  if (!start.tapped) return refused
  for (const { state: { id, name }, args } of leading) {
    const text = (key: string): string => (typeof args[key] === 'string' ? args[key] : '')
    const said = await start.call({ call: id, agent: text('agent') || name, prompt: text('prompt'), args }, turn)
    if (!said.ok) refused.set(id, `This sub-agent was refused, because a policy failed: ${said.error.message}`)
    else if (said.value) refused.set(id, said.value.message)
  }
  return refused
}

/** What came of the children, or why there are none. */
async function childrenOf(leading: readonly ChildCall[], turn: LoopTurn): Promise<readonly ChildOutcome[] | string> {
  const dispatcher = turn.parts.generation.scope.find(Dispatcher)
  if (!dispatcher) return 'Sub-agents are not available here.'
  try {
    return await dispatcher.dispatch(leading, turn)
  } catch (cause) {
    return `The sub-agent failed: ${messageOf(cause)}`
  }
}
