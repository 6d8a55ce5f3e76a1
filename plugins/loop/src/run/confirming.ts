import { parseExact } from '@amodal/sdk/data'
import type {
  AgentState,
  AskId,
  CallId,
  CallState,
  InboxBody,
  InputAnswered,
  JournalEntry,
  JsonObject,
  PendingAsk,
  PrincipalId,
  Step,
} from '@amodal/sdk'
import { checkAnswer } from '../client/answer.ts'
import type { LoopTurn } from './loop-turn.ts'

type Confirming = Extract<AgentState, { kind: 'confirming' }>
interface AskResolution {
  readonly answer: JsonObject
  readonly principal: PrincipalId
  readonly key: string
  readonly void?: NonNullable<InputAnswered['void']>
  /** Why there is no answer; the model reads it. */
  readonly failed?: string
}

/** Applies the answers that have arrived; while questions remain open the run parks. */
export async function confirming(state: Confirming, turn: LoopTurn): Promise<Step> {
  const arrived = await turn.parts.readControls()
  if (!arrived.ok) {
    // An inbox that cannot be read is no fault of the run: the next owner reads it.
    turn.parts.lease.lose(`its inbox cannot be read: ${arrived.error.message}`, false)
    return { entries: [], next: state }
  }

  const resolutions = new Map<AskId, AskResolution>()
  for (const item of arrived.value) {
    turn.parts.writer.acknowledge(item)
    const body = parseExact(item.body) as InboxBody // written by `answer`
    if (body.kind !== 'answer') continue
    const ask = state.asks.find(({ id, answered }) => id === body.ask && !answered)
    if (!ask || resolutions.has(ask.id)) continue
    // The sub-agent's own session has validated the answer to its question.
    if (ask.child || checkAnswer(ask, body.answer).ok)
      resolutions.set(ask.id, { answer: body.answer, principal: body.principal, key: item.key })
  }
  for (const ask of state.asks) {
    if (ask.answered || resolutions.has(ask.id)) continue
    const one = await resolvedWithoutPerson(ask, turn)
    if (one) resolutions.set(ask.id, one)
  }
  return settle(state, resolutions, turn)
}

/** Resolves a question without a person: it has expired, or a tap answers it. */
async function resolvedWithoutPerson(
  ask: PendingAsk,
  turn: LoopTurn,
): Promise<AskResolution | undefined> {
  const no = { answer: { approved: false }, principal: turn.principal }
  // Questions that expired before the session was claimed accept no answers, so none is missed.
  if ((ask.expires_at ?? Infinity) <= turn.parts.time.claimed)
    return {
      ...no,
      key: 'expired',
      void: 'expired',
      ...(ask.wakes ? {} : { failed: 'Nobody answered in time.' }),
    }
  // the sub-agent's own run has called these taps
  if (ask.child || !turn.hooks.confirm.ask.tapped) return undefined
  const auto = await turn.hooks.confirm.ask.call(ask, turn)
  if (!auto.ok) return { ...no, key: 'confirm.ask', failed: auto.error.message }
  if (!auto.value) return undefined
  const fits = checkAnswer(ask, auto.value.answer)
  return fits.ok
    ? { ...no, answer: auto.value.answer, key: 'confirm.ask' }
    : {
        ...no,
        key: 'confirm.ask',
        failed: `What answers for people gave no answer that fits: ${fits.error}`,
      }
}

function settle(
  state: Confirming,
  resolutions: ReadonlyMap<AskId, AskResolution>,
  turn: LoopTurn,
): Step {
  const entries: JournalEntry[] = []
  let { calls } = state
  let next: AgentState | undefined
  for (const ask of state.asks) {
    const one = resolutions.get(ask.id)
    if (!one) continue
    entries.push(
      turn.newEntry({
        kind: 'input_answered',
        ask: ask.id,
        ask_type: ask.type,
        answer: one.answer,
        principal: one.principal,
        key: one.key,
        ...(ask.call ? { call: ask.call } : {}),
        ...(one.void ? { void: one.void } : {}),
      }),
    )
    if (ask.child) continue // the sub-agent has the answer and continues
    if (ask.type === 'continue_or_finish') next = applyLimitAnswer(ask, state, one.answer, turn)
    else if (ask.call)
      calls = calls.map((call) =>
        call.id === ask.call ? answered(call, ask, one, entries, turn) : call,
      )
  }
  const asks = state.asks.map((ask) => (resolutions.has(ask.id) ? { ...ask, answered: true } : ask))
  if (asks.every(({ answered: settled }) => settled))
    return { entries, next: next ?? onwards(state, calls) }
  return { entries, next: { ...state, asks, calls } }
}

/** Back to the calls, or to the sub-agents that asked. */
function onwards({ step, children = [] }: Confirming, calls: readonly CallState[]): AgentState {
  return children.length > 0
    ? { kind: 'dispatching', step, children, calls }
    : { kind: 'executing', step, calls }
}

/**
 * An approval, or an answer for a call that resumes, lets the call run; any other answer becomes
 * its outcome.
 */
function answered(
  call: CallState,
  ask: PendingAsk,
  { answer, failed }: AskResolution,
  entries: JournalEntry[],
  turn: LoopTurn,
): CallState {
  if (ask.type === 'approval' && failed === undefined && answer['approved'] === true)
    return { ...call, phase: 'approved' }
  if (ask.resumes && failed === undefined)
    return { ...call, phase: wasApproved(call.id, turn) ? 'approved' : 'queued' }
  const outcome = { kind: 'tool_outcome', call: call.id, name: call.name, ms: 0 } as const
  const { response, feedback } = answer
  if (failed !== undefined)
    entries.push(
      turn.newEntry({ ...outcome, status: 'error', output: failed, code: 'TOOL_DENIED' }),
    )
  else if (ask.type === 'question')
    entries.push(
      turn.newEntry({
        ...outcome,
        status: 'success',
        output: typeof response === 'string' ? response : JSON.stringify(answer),
      }),
    )
  else {
    const words = typeof feedback === 'string' && feedback !== '' ? ` and said: ${feedback}` : '.'
    entries.push(
      turn.newEntry({
        ...outcome,
        status: 'error',
        output: `The person declined this call${words}`,
        code: 'TOOL_DENIED',
      }),
    )
  }
  return { ...call, phase: 'settled' }
}

/**
 * Whether the call was approved. An answer to a question is no approval: a call without an approval
 * passes the guards once more.
 */
const wasApproved = (call: CallId, { entries }: LoopTurn): boolean =>
  entries.some(
    (entry) =>
      entry.kind === 'input_answered' &&
      entry.call === call &&
      entry.ask_type === 'approval' &&
      entry.answer['approved'] === true &&
      entry.void === undefined,
  )

/**
 * Adds turns to the record of the run; other budgets read the extension from the answer's entry.
 */
function applyLimitAnswer(
  { context: { reason, message } }: PendingAsk,
  { step }: Confirming,
  { action, additional_turns: more }: JsonObject,
  turn: LoopTurn,
): AgentState {
  const next: AgentState = { kind: 'thinking', step }
  const isTurns = reason === 'max_turns'
  if (action !== 'continue') {
    // Without calls or turns left, the model can still write a final answer.
    if (isTurns || reason === 'max_tool_calls' || reason === 'max_session_tool_calls')
      turn.record = { ...turn.record, wrapping: true }
    else
      return {
        kind: 'done',
        reason: 'budget_exceeded',
        error: {
          code: 'BUDGET_EXCEEDED',
          message: typeof message === 'string' ? message : 'a budget is used up',
        },
      }
  } else if (isTurns)
    turn.record = {
      ...turn.record,
      max_turns: turn.record.max_turns + (typeof more === 'number' ? more : 10),
    }
  return next
}
