import type { AskId, PrincipalId } from '../ids.ts'
import type { InboxBody, JournalEntry } from '../journal/entry.ts'
import type { JsonObject } from '../messages.ts'
import type { InboxItem } from '../ports/session-store.ts'
import { checkAnswer } from './answer.ts'
import type { AgentState, CallState, PendingAsk } from './state.ts'
import type { Step, Turn } from './turn.ts'

type Confirming = Extract<AgentState, { kind: 'confirming' }>
interface Said { readonly answer: JsonObject; readonly principal: PrincipalId; readonly key: string; readonly void?: 'expired' }

/** Waits for people: takes the answers that have arrived; without all of them the run parks again. */
export async function confirming(state: Confirming, turn: Turn): Promise<Step> {
  const arrived = await turn.parts.controls()
  if (!arrived.ok) return { facts: [], next: turn.done(arrived.error) }
  if (turn.stopped === 'cancelled') return { facts: [], next: { kind: 'done', reason: 'user_abort' } }

  const said = new Map<AskId, Said>()
  for (const item of arrived.value) {
    turn.parts.writer.took(item)
    const body = JSON.parse(item.body) as InboxBody // written by `answer`
    const ask = body.kind === 'answer' ? state.asks.find(({ id, answered }) => id === body.ask && !answered) : undefined
    if (body.kind === 'answer' && ask && !said.has(ask.id) && checkAnswer(ask, body.answer).ok) said.set(ask.id, { answer: body.answer, principal: body.principal, key: item.key })
  }
  const now = turn.parts.clock.now()
  for (const ask of state.asks) {
    if (ask.answered || (ask.expires_at ?? Infinity) > now) continue
    said.set(ask.id, { answer: { approved: false }, principal: turn.principal, key: 'expired', void: 'expired' })
  }
  for (const ask of state.asks) {
    if (ask.answered || said.has(ask.id) || !turn.hooks.confirm.ask.tapped) continue
    const auto = await turn.hooks.confirm.ask.call({ ...ask, ...(ask.call ? { call: ask.call } : {}) }, turn)
    if (!auto.ok) said.set(ask.id, { answer: { approved: false, feedback: auto.error.message }, principal: turn.principal, key: 'confirm.ask' })
    else if (auto.value) said.set(ask.id, { answer: auto.value.answer, principal: turn.principal, key: 'confirm.ask' })
  }
  return settle(state, said, turn)
}

function settle(state: Confirming, said: ReadonlyMap<AskId, Said>, turn: Turn): Step {
  const facts: JournalEntry[] = []
  let { calls } = state
  let next: AgentState | undefined
  for (const ask of state.asks) {
    const one = said.get(ask.id)
    if (!one) continue
    facts.push(turn.fact({
      kind: 'input_answered', ask: ask.id, ask_type: ask.type, answer: one.answer, principal: one.principal, key: one.key,
      ...(ask.call ? { call: ask.call } : {}), ...(one.void ? { void: one.void } : {}),
    }))
    if (ask.type === 'continue_or_finish') next = grant(state, one.answer, turn)
    else if (ask.call) calls = calls.map((call) => (call.id === ask.call ? answered(call, ask, one, facts, turn) : call))
  }
  const asks = state.asks.map((ask) => (said.has(ask.id) ? { ...ask, answered: true } : ask))
  if (asks.every(({ answered: settled }) => settled)) return { facts, next: next ?? { kind: 'executing', step: state.step, calls } }
  return { facts, next: { kind: 'confirming', step: state.step, asks, calls } }
}

/** An approval lets the call run; anything else is its outcome. */
function answered(call: CallState, ask: PendingAsk, said: Said, facts: JournalEntry[], turn: Turn): CallState {
  const settled = (status: 'success' | 'error', output: string, code?: string): CallState => {
    facts.push(turn.fact({ kind: 'tool_outcome', call: call.id, name: call.name, status, output, ms: 0, ...(code === undefined ? {} : { code }) }))
    return { ...call, phase: 'settled' }
  }
  if (ask.type === 'question') {
    const { response } = said.answer
    return settled('success', typeof response === 'string' ? response : JSON.stringify(said.answer))
  }
  if (said.void === 'expired') return settled('error', 'Nobody approved this call in time.', 'TOOL_DENIED')
  if (said.answer['approved'] === true) return { ...call, phase: 'approved' }
  const { feedback } = said.answer
  return settled('error', typeof feedback === 'string' && feedback !== '' ? `The person declined this call and said: ${feedback}` : 'The person declined this call.', 'TOOL_DENIED')
}

function grant(state: Confirming, answer: JsonObject, turn: Turn): AgentState {
  const { action, additional_turns: more } = answer
  if (action === 'continue') turn.record = { ...turn.record, max_turns: turn.record.max_turns + (typeof more === 'number' ? more : 10) }
  else turn.record = { ...turn.record, wrapping: true }
  return { kind: 'thinking', step: state.step }
}

/** Cancels among the controls, so that they end the turn wherever it is. */
export function cancelOf(items: readonly InboxItem[]): InboxItem | undefined {
  return items.find((item) => (JSON.parse(item.body) as InboxBody).kind === 'cancel') // written by `cancel`
}
