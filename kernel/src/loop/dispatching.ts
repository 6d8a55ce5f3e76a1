import { Dispatcher } from '../ports/compactor.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { messageOf } from '../result.ts'
import { prepare, toolsOf } from './prepare.ts'
import type { AgentState } from './state.ts'
import type { Step, Turn } from './turn.ts'

/** Runs the leading sub-agent calls of a step together. A child that fails is an observation. */
export async function dispatching(state: Extract<AgentState, { kind: 'dispatching' }>, turn: Turn): Promise<Step> {
  const tools = await toolsOf(turn)
  if ('code' in tools) return { facts: [], next: turn.done(tools) }
  const open = state.calls.filter(({ phase }) => phase !== 'settled')
  const leading: { state: (typeof open)[number]; args: import('../messages.ts').JsonObject }[] = []
  for (const call of open) {
    const reply = turn.reply?.calls.find(({ id }) => id === call.id)
    const prepared = turn.prepared.get(call.id) ?? (reply ? await prepare(reply, tools, turn) : undefined)
    if (prepared?.kind !== 'ready' || !prepared.call.tool.dispatches) break
    leading.push({ state: call, args: prepared.call.args })
  }
  const facts: JournalEntry[] = []
  const failed = (message: string): void => {
    for (const { state: call } of leading) facts.push(turn.fact({ kind: 'tool_outcome', call: call.id, name: call.name, status: 'error', output: message, ms: 0 }))
  }
  const dispatcher = turn.parts.generation.scope.find(Dispatcher)
  if (!dispatcher) failed('Sub-agents are not available here.')
  else {
    try {
      for (const { call, status, summary } of await dispatcher.dispatch(leading, turn)) {
        const name = leading.find((one) => one.state.id === call)?.state.name ?? 'dispatch_task'
        facts.push(turn.fact({ kind: 'tool_outcome', call, name, status, output: summary, ms: 0 }))
      }
    } catch (cause) {
      failed(`The sub-agent failed: ${messageOf(cause)}`)
    }
  }
  const settled = new Set(leading.map(({ state: call }) => call.id))
  const calls = state.calls.map((call) => (settled.has(call.id) ? { ...call, phase: 'settled' as const } : call))
  return { facts, next: { kind: 'executing', step: state.step, calls } }
}
