import {
  type AgentState,
  type CallId,
  type CallState,
  type ChildOpened,
  type ChildOutcome,
  type ChildState,
  Dispatcher,
  type JournalEntry,
  type JsonObject,
  messageOf,
  NO_USAGE,
  type OpenChild,
  type PendingAsk,
  type Step,
} from '@amodal/sdk'
import { addUsage } from '@amodal/sdk/loop'
import { childShare } from './budget.ts'
import { prepare, restore, toolsOf } from '../tool-calls/prepare.ts'
import type { LoopTurn } from './loop-turn.ts'
import type { ToolSet } from '../tool-calls/tool-set.ts'

type Dispatching = Extract<AgentState, { kind: 'dispatching' }>
interface Leading {
  readonly state: CallState
  readonly args: JsonObject
}

/**
 * Runs the leading sub-agent calls of a step concurrently. They are committed before they run, so
 * that recovery after a crash finds the same ones. A failure is an observation for the model; a
 * question parks this run.
 */
export function dispatching(state: Dispatching, turn: LoopTurn): Promise<Step> {
  return state.children.length === 0 ? opened(state, turn) : finished(state, turn)
}

async function opened(state: Dispatching, turn: LoopTurn): Promise<Step> {
  const leading = await leadingCalls(state, turn)
  if ('code' in leading) return { entries: [], next: turn.done(leading) }
  const refused = new Map(await refusals(leading, turn))
  const allowed = leading.filter(({ state: { id } }) => !refused.has(id))
  const entries: JournalEntry[] = []
  const children: ChildState[] = []
  const drafts = allowed.length === 0 ? [] : draftsOf(allowed, turn)
  // The share is committed with each child, so that recovery reserves the same amount.
  const share = childShare(
    Math.max(1, drafts.filter((draft) => !('refused' in draft)).length),
    turn,
  )
  for (const draft of drafts) {
    if ('refused' in draft) refused.set(draft.call, draft.refused)
    else if (!share)
      refused.set(
        draft.call,
        'There is nothing left in the budget for a sub-agent: answer with what you know.',
      )
    else {
      entries.push(
        turn.newEntry({
          kind: 'child_opened',
          ...draft,
          ...(draft.options || Object.keys(share).length > 0
            ? { options: { ...draft.options, ...share } }
            : {}),
        }),
      )
      children.push({ call: draft.call, child: draft.child })
    }
  }
  const unopened = leading.filter(({ state: { id } }) => !children.some(({ call }) => call === id))
  entries.push(...unopened.map((call) => refusedOutcome(call, refused, turn)))
  const calls = settled(
    state.calls,
    unopened.map(({ state: { id } }) => id),
  )
  return {
    entries,
    next:
      children.length > 0
        ? { ...state, children, calls }
        : { kind: 'executing', step: state.step, calls },
  }
}

const refusedOutcome = (
  { state: { id, name } }: Leading,
  refused: ReadonlyMap<CallId, string>,
  turn: LoopTurn,
): JournalEntry =>
  turn.newEntry({
    kind: 'tool_outcome',
    call: id,
    name,
    status: 'error',
    code: 'TOOL_DENIED',
    output: refused.get(id) ?? 'The sub-agent gave no answer.',
    ms: 0,
  })

/** The sub-agent calls that come next, including those whose approval was given. */
async function leadingCalls(state: Dispatching, turn: LoopTurn) {
  const tools = await toolsOf(turn)
  if ('code' in tools) return tools
  const leading: Leading[] = []
  for (const call of state.calls.filter(({ phase }) => phase !== 'settled')) {
    const prepared = turn.prepared.get(call.id) ?? (await preparedCall(call, tools, turn))
    if (
      prepared?.kind !== 'ready' ||
      !prepared.call.tool.dispatches ||
      (prepared.needs !== 'nothing' && call.phase !== 'approved')
    )
      break
    leading.push({ state: call, args: prepared.call.args })
  }
  return leading
}

async function preparedCall(call: CallState, tools: ToolSet, turn: LoopTurn) {
  if (call.phase === 'approved') return restore(call, tools, turn)
  const reply = turn.reply?.calls.find(({ id }) => id === call.id)
  return reply && prepare(reply, tools, turn)
}

/** The sub-agent calls that a `dispatch.start` tap refuses; a tap that fails refuses its call. */
async function refusals(
  leading: readonly Leading[],
  turn: LoopTurn,
): Promise<ReadonlyMap<CallId, string>> {
  const refused = new Map<CallId, string>()
  const { start } = turn.hooks.dispatch
  if (!start.tapped) return refused
  for (const {
    state: { id, name },
    args,
  } of leading) {
    const text = (key: string): string => (typeof args[key] === 'string' ? args[key] : '')
    const verdict = await start.call(
      { call: id, agent: text('agent') || name, prompt: text('prompt'), args },
      turn,
    )
    if (!verdict.ok)
      refused.set(
        id,
        `This sub-agent was refused, because a policy failed: ${verdict.error.message}`,
      )
    else if (verdict.value) refused.set(id, verdict.value.message)
  }
  return refused
}

function draftsOf(allowed: readonly Leading[], turn: LoopTurn): ReturnType<Dispatcher['open']> {
  const refuse = (reason: string) =>
    allowed.map(({ state: { id } }) => ({ call: id, refused: reason }))
  const dispatcher = turn.parts.generation.scope.find(Dispatcher)
  if (!dispatcher) return refuse('Sub-agents are not available here.')
  try {
    return dispatcher.open(
      allowed.map(({ state: { id }, args }) => ({ call: id, args })),
      turn,
    )
  } catch (cause) {
    return refuse(`The sub-agent failed: ${messageOf(cause)}`)
  }
}

async function finished(state: Dispatching, turn: LoopTurn): Promise<Step> {
  const children = state.children.flatMap(({ call, child, seen }): OpenChild[] => {
    const entry = turn.entries.find(
      (one): one is ChildOpened & typeof one => one.kind === 'child_opened' && one.child === child,
    )
    return entry ? [{ ...entry, call, ...(seen === undefined ? {} : { seen }) }] : []
  })
  const outcomes = await outcomesOf(children, turn)
  const entries: JournalEntry[] = []
  const asks: PendingAsk[] = []
  const waiting: ChildState[] = []
  for (const { call, child } of state.children) {
    const agent = children.find((one) => one.call === call)?.agent
    // A child that the dispatcher returns no outcome for failed.
    const outcome = outcomes.find((one) => one.call === call) ?? {
      call,
      status: 'error',
      summary: 'The sub-agent gave no answer.',
      usage: NO_USAGE,
    }
    if (outcome.status !== 'asks') {
      entries.push(
        turn.newEntry({
          kind: 'child_closed',
          child,
          ...(agent !== undefined && { agent }),
          ...outcome,
        }),
      )
      turn.record = { ...turn.record, usage: addUsage(turn.record.usage, outcome.usage) }
      continue
    }
    waiting.push({ call, child, seen: outcome.seen })
    for (const {
      ask: { id, type, schema, context, expires_at },
      question: askFields,
    } of outcome.asks) {
      const expires = expires_at === undefined ? {} : { expires_at }
      entries.push(
        turn.newEntry({
          kind: 'input_asked',
          ask: id,
          ask_type: type,
          call,
          schema,
          context,
          ...askFields,
          ...expires,
        }),
      )
      asks.push({ id, type, call, schema, context, child, ...expires })
    }
  }
  const calls = settled(
    state.calls,
    state.children.map(({ call }) => call).filter((id) => !waiting.some(({ call }) => call === id)),
  )
  if (waiting.length === 0) return { entries, next: { kind: 'executing', step: state.step, calls } }
  return { entries, next: { kind: 'confirming', step: state.step, asks, calls, children: waiting } }
}

/** The outcomes of the children, or one reason for all of them if the dispatcher failed. */
async function outcomesOf(
  children: readonly OpenChild[],
  turn: LoopTurn,
): Promise<readonly ChildOutcome[]> {
  const all = (summary: string): readonly ChildOutcome[] =>
    children.map(({ call }) => ({ call, status: 'unknown', summary, usage: NO_USAGE }))
  const dispatcher = turn.parts.generation.scope.find(Dispatcher)
  if (!dispatcher)
    return all(
      'Sub-agents are not available here any more. Whether this one did its work is unknown.',
    )
  // Children have their own deadlines and staleness checks, so this run counts as alive while they
  // work.
  const {
    alive,
    settings: { stalenessMs },
  } = turn.parts
  const beat = setInterval(alive, Math.max(10, stalenessMs / 3))
  beat.unref?.()
  try {
    return await dispatcher.run(children, turn)
  } catch (cause) {
    turn.log.error('dispatch_failed', { error: messageOf(cause) })
    return all(
      `The sub-agent could not be followed: ${messageOf(cause)}. Whether it did its work is unknown.`,
    )
  } finally {
    clearInterval(beat)
  }
}

const settled = (calls: readonly CallState[], ids: readonly CallId[]): readonly CallState[] =>
  calls.map((call) => (ids.includes(call.id) ? { ...call, phase: 'settled' as const } : call))
