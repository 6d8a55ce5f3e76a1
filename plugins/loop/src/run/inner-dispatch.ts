import {
  type ChildOpened,
  type ChildOutcome,
  Dispatcher,
  err,
  failure,
  type Failure,
  messageOf,
  onAbort,
  ok,
  type PreparedCall,
  type Result,
  type RunContext,
  type ToolResult,
  tryAsync,
} from '@amodal/sdk'
import { addUsage } from '@amodal/sdk/loop'
import { CHILD_SPENT } from './child-spent.ts'
import { childShare } from './budget.ts'
import type { LoopTurn } from './loop-turn.ts'

/**
 * Runs a sub-agent that a tool calls, within the deadline of the tool. Its session has the same id
 * on every try, so that a repeated call finds the one that has begun.
 *
 * @returns its answer; an error where it fails, is refused, or asks a person
 */
export async function dispatchInner(
  call: PreparedCall,
  turn: LoopTurn,
  until: AbortSignal,
): Promise<ToolResult> {
  const opened = await open(call, turn)
  if (!opened.ok) return errorOf(opened.error)
  const { child, dispatcher, release } = opened.value
  const ended = new AbortController()
  const leave = onAbort(until, () =>
    ended.abort(turn.signal.aborted ? turn.signal.reason : 'deadline'),
  )
  try {
    const outcomes = await tryAsync(
      () => dispatcher.run([child], contextIn(turn, ended.signal)),
      (cause) => failure('TOOL_FAILED', `The sub-agent could not be followed: ${messageOf(cause)}`),
    )
    if (!outcomes.ok) return errorOf(outcomes.error)
    return await settled(outcomes.value[0], child, dispatcher, turn)
  } finally {
    leave()
    release()
  }
}

interface Opened {
  readonly child: ChildOpened
  readonly dispatcher: Dispatcher
  /** Gives back the share of the budget that the sub-agent has not used. */
  readonly release: () => void
}

async function open(call: PreparedCall, turn: LoopTurn): Promise<Result<Opened, Failure>> {
  const refuse = (message: string): Result<never, Failure> => err(failure('TOOL_DENIED', message))
  const dispatcher = turn.parts.generation.scope.find(Dispatcher)
  if (!dispatcher) return refuse('Sub-agents are not available here.')
  const denied = await refusalOf(call, turn)
  if (denied !== undefined) return refuse(denied)
  const [draft] = dispatcher.open([{ call: call.id, args: call.args }], turn)
  if (!draft || 'refused' in draft) return refuse(draft?.refused ?? 'There is no such sub-agent.')
  const share = childShare(1, turn)
  if (!share) return refuse('There is nothing left in the budget for a sub-agent.')
  const child = turn.newEntry({
    kind: 'child_opened',
    ...draft,
    options: { ...draft.options, ...share },
  })
  if (child.kind !== 'child_opened') return refuse('There is no such sub-agent.')
  turn.sideEntries.push(child)
  const reserved = { tokens: share.max_tokens ?? 0, cost: share.max_cost ?? 0 }
  turn.reservations.add(reserved)
  return ok({ child, dispatcher, release: () => void turn.reservations.delete(reserved) })
}

/** Why a policy refuses the sub-agent; one that fails refuses it. */
async function refusalOf(
  { id, tool, args }: PreparedCall,
  turn: LoopTurn,
): Promise<string | undefined> {
  const { start } = turn.hooks.dispatch
  if (!start.tapped) return undefined
  const text = (key: string): string => (typeof args[key] === 'string' ? args[key] : '')
  const request = { call: id, agent: text('agent') || tool.name, prompt: text('prompt'), args }
  const verdict = await start.call(request, turn)
  return verdict.ok ? verdict.value?.message : `A policy failed: ${verdict.error.message}`
}

async function settled(
  outcome: ChildOutcome | undefined,
  child: ChildOpened,
  dispatcher: Dispatcher,
  turn: LoopTurn,
): Promise<ToolResult> {
  if (!outcome) return errorOf(failure('TOOL_FAILED', 'The sub-agent gave no answer.'))
  if (outcome.status === 'asks') {
    await dispatcher.cancel?.(child, turn)
    return errorOf(
      failure(
        'APPROVAL_REQUIRED',
        `The sub-agent "${child.agent}" asks a person, which only a call of the model can wait for. It was cancelled.`,
      ),
    )
  }
  const { usage, cost, status, summary } = outcome
  turn.record = { ...turn.record, usage: addUsage(turn.record.usage, usage) }
  turn.sideEntries.push(
    turn.newEntry({
      kind: 'note',
      code: CHILD_SPENT,
      text: `${child.agent} was called by a tool`,
      spent: {
        usage,
        model: { provider: 'subagent', model: child.agent },
        ...(cost !== undefined && { cost }),
      },
    }),
  )
  switch (status) {
    case 'success':
      return { status: 'success', output: summary }
    case 'error':
      return errorOf({ code: 'TOOL_FAILED', message: summary })
    case 'unknown':
      return errorOf({ code: 'OUTCOME_UNKNOWN', message: summary })
  }
}

const errorOf = ({ code, message }: Pick<Failure, 'code' | 'message'>): ToolResult => ({
  status: 'error',
  code,
  message,
})

/** The turn as the sub-agent sees it: it ends with the tool that has called it. */
function contextIn(turn: LoopTurn, signal: AbortSignal): RunContext {
  const { tenant, session, run, principal, roles, delegated, step, usage, lease, log } = turn
  const { scope, progress, bundle, messages, sessionState, context, redacted, outbound } = turn
  return {
    ...{ tenant, session, run, principal, roles, delegated, step, usage, lease, log },
    ...{ scope, progress, bundle, messages, sessionState, context, redacted, outbound },
    signal,
  }
}
