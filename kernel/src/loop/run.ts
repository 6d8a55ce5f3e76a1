import { failure, PluginError, type Failure } from '../errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { spentIn, type JournalEntry, type RunEnded } from '../journal/entry.ts'
import type { Committed } from '../journal/writer.ts'
import { messageOf, ok, type Result } from '../result.ts'
import { IDLE, isLegal, type AgentState, type LiveStateKind, type PendingAsk } from './state.ts'
import type { Step, Turn } from './turn.ts'

type Live = Exclude<AgentState, { kind: 'done' }>
/** One handler per state: a missing one does not compile. */
export type Handlers<T extends Turn = Turn> = {
  readonly [K in LiveStateKind]: (state: Extract<AgentState, { kind: K }>, turn: T) => Promise<Step>
}

/** The outcome a call gets when nothing else became of it, so that the next turn is well-formed. */
export const NO_OUTCOME = 'This call has no result: the turn ended before it ran.'

/** Redirects by hooks that one step may take before it is a loop. */
const MAX_REDIRECTS = 8

/** How driving a turn ended, for the lane. */
export type Driven =
  /** `released`: nobody owns the lane now. */
  | { readonly kind: 'ended' | 'parked'; readonly released: boolean }
  /** Somebody else has the lane, or nobody knows: no further effects here. */
  | { readonly kind: 'left' }
  /** To go on from the last commit, in the generation that is current now. */
  | { readonly kind: 'handover' }

const LEFT: Driven = { kind: 'left' }

/**
 * Drives a turn from state to state until it ends, parks or is lost. What states make true is
 * staged, committed at the four kinds of commit points, and told only then.
 */
export async function drive<T extends Turn>(turn: T, handlers: Handlers<T>): Promise<Driven> {
  let driven = turn.parts.again && turn.state.kind !== 'done' ? await keep(turn, 'hold') : undefined
  while (!driven)
    driven =
      turn.state.kind === 'done' ? await finish(turn) : await step(turn.state, turn, handlers)
  return driven
}

async function step<T extends Turn>(
  from: Live,
  turn: T,
  handlers: Handlers<T>,
): Promise<Driven | undefined> {
  if (gone(turn)) return leave(turn)
  const entered = turn.stopped === undefined ? await enter(from, turn) : stoppedAt(turn)
  if (entered) return move(turn, entered)

  const { facts, next } = await exit(from, await attempt(from, turn, handlers), turn)
  if (gone(turn)) return leave(turn)
  const staged = stage(facts, turn)
  move(
    turn,
    !staged.ok ? turn.done(staged.error) : turn.stopped === undefined ? next : stoppedAt(turn),
  )
  turn.parts.alive()
  if (turn.state.kind === 'done' || !mustCommit(from, facts, turn.state)) return undefined
  return keep(
    turn,
    turn.state.kind === 'confirming' && (from.kind === 'confirming' || !turn.parts.answers)
      ? 'park'
      : 'hold',
  )
}

const hooksIn = ({ parts }: Turn): Hooks => parts.generation.hooks

const gone = ({ stopped }: Turn): boolean =>
  stopped === 'lost' || stopped === 'stale' || stopped === 'handover'

function leave(turn: Turn): Driven {
  const { writer, history, live, clock } = turn.parts
  writer.discard()
  history.stale = true
  if (turn.stopped === 'handover') {
    live.reset(clock.now())
    return { kind: 'handover' }
  }
  live.end('left')
  return LEFT
}

function stoppedAt(turn: Turn): AgentState {
  return turn.stopped === 'deadline'
    ? {
        kind: 'done',
        reason: 'budget_exceeded',
        error: failure('TIMEOUT', 'the run took longer than `limits.timeoutSeconds`'),
      }
    : { kind: 'done', reason: 'user_abort' }
}

/**
 * Whoever moves it where: before the model is asked again, every call of the last step has its
 * outcome.
 */
function move(turn: Turn, to: AgentState): undefined {
  const closed = to.kind === 'thinking' ? stage(unsettled(turn), turn) : ok(undefined)
  const next = !closed.ok
    ? turn.done(closed.error)
    : to.kind === 'confirming'
      ? { ...to, asks: to.asks.map((ask) => asWritten(ask, turn)) }
      : to
  const { changed } = hooksIn(turn).state
  if (changed.tapped) changed.call(turn.state.kind, next.kind, turn)
  turn.state = next
}

/** What a tap took out of the entry of a question is not in the state either. */
function asWritten(ask: PendingAsk, turn: Turn): PendingAsk {
  const entry = hooksIn(turn).journal.write.tapped
    ? turn.entries.find((one) => one.kind === 'input_asked' && one.ask === ask.id)
    : undefined
  return entry?.kind === 'input_asked'
    ? { ...ask, schema: entry.schema, context: entry.context }
    : ask
}

/**
 * Before an effect, after outcomes that readers wait for, before parking; and a reply that a hook
 * sends back to be made again.
 */
function mustCommit(from: Live, facts: readonly JournalEntry[], next: Live): boolean {
  return (
    next.kind === 'confirming' ||
    from.kind === 'confirming' ||
    (from.kind === 'streaming' && next.kind === 'thinking' && facts.length > 0) ||
    facts.some(
      ({ kind }) =>
        kind === 'tool_intent' ||
        kind === 'tool_outcome' ||
        kind === 'compacted' ||
        kind === 'child_opened' ||
        kind === 'child_closed',
    )
  )
}

/** Any of the six: which state it is for is known by the kind it is looked up with. */
interface EnterHook {
  readonly tapped: boolean
  readonly call: (
    state: AgentState,
    ctx: Turn,
  ) => Promise<Result<AgentState | undefined, PluginError>>
}

async function enter(state: Live, turn: Turn): Promise<AgentState | undefined> {
  const hook = hooksIn(turn).state.enter[state.kind] as EnterHook // the hook of this very kind
  if (!hook.tapped) return undefined
  const said = await hook.call(state, turn)
  return !said.ok ? turn.done(said.error) : said.value && redirected(state, said.value, turn)
}

async function exit(state: Live, { facts, next }: Step, turn: Turn): Promise<Step> {
  const hook = hooksIn(turn).state.leave[state.kind]
  if (!hook.tapped) return { facts, next }
  const said = await hook.call({ to: next, facts }, state, turn)
  if (!said.ok) return { facts, next: turn.done(said.error) }
  return {
    facts: said.value.facts,
    next: said.value.to === next ? next : redirected(state, said.value.to, turn),
  }
}

/** A hook sends the run elsewhere. As many times as there were steps, times eight, is a loop. */
function redirected(from: Live, to: AgentState, turn: Turn): AgentState {
  turn.record = { ...turn.record, redirects: turn.record.redirects + 1 }
  if (turn.record.redirects <= MAX_REDIRECTS * from.step) return to
  return turn.done(
    failure(
      'BAD_VALUE',
      `hooks redirected this run ${turn.record.redirects} times in ${from.step} steps (last: ${from.kind} → ${to.kind})`,
    ),
  )
}

/** A handler that throws is a committed transition like any other. */
async function attempt<T extends Turn>(state: Live, turn: T, handlers: Handlers<T>): Promise<Step> {
  try {
    // the handler of this very kind
    const handler = handlers[state.kind] as (state: AgentState, turn: T) => Promise<Step>
    const made = await handler(state, turn)
    return isLegal(state.kind, made.next.kind)
      ? made
      : {
          facts: [],
          next: turn.done(failure('INTERNAL', `illegal move ${state.kind} → ${made.next.kind}`)),
        }
  } catch (cause) {
    turn.log.error('state_failed', { state: state.kind, error: messageOf(cause) })
    return {
      facts: [],
      next: turn.done(
        PluginError.is(cause)
          ? cause
          : failure('INTERNAL', `${state.kind}: ${messageOf(cause)}`, { cause }),
      ),
    }
  }
}

/** Passes entries through `journal.write`, stages them and applies them to the history. */
export function stage(facts: readonly JournalEntry[], turn: Turn): Result<void, PluginError> {
  const { writer, history } = turn.parts
  const { write } = hooksIn(turn).journal
  for (const fact of [...turn.beside.splice(0), ...facts]) {
    const written = write.tapped ? write.call(fact, turn) : ok(fact)
    if (!written.ok) return written
    const placed = writer.stage(written.value, turn.sealed(fact, written.value))
    history.apply(placed, placed.seq)
    if (fact.kind === 'model_reply') turn.reply = fact
    // What was sent under a key may be sent again, while nobody knows what became of it.
    if (fact.kind === 'tool_outcome' && fact.status !== 'unknown')
      for (const { call, seq } of sealedOf(turn)) if (call === fact.call) writer.erase(seq)
  }
  return ok(undefined)
}

const sealedOf = (turn: Turn) =>
  turn.entries.flatMap((entry) =>
    entry.sealed !== undefined && entry.kind !== 'tool_outcome' && 'call' in entry
      ? [{ call: entry.call, seq: entry.seq }]
      : [],
  )

/**
 * A commit point in the middle of a turn. Returns how the turn is left where it cannot go on, or
 * parks.
 */
async function keep(turn: Turn, end: 'hold' | 'park'): Promise<Driven | undefined> {
  const { writer, live, released } = turn.parts
  const kept = await writer.commit(turn.laneState(turn.state), end)
  if (kept.kind === 'refused') return withhold(kept.failure, turn, true)
  if (kept.kind !== 'ok') return leftWith(kept, turn)
  if (end === 'park' && kept.released) released(turn.state)
  turn.tell(kept.entries, writer.head)
  if (!kept.mine) live.end('left')
  else if (end === 'park' && kept.released) live.end('parked')
  return !kept.mine
    ? LEFT
    : end === 'park' && kept.released
      ? { kind: 'parked', released: true }
      : undefined
}

function leftWith(kept: Extract<Committed, { kind: 'lost' | 'doubt' }>, turn: Turn): Driven {
  const { lease, live } = turn.parts
  turn.parts.history.stale = true
  if (kept.kind === 'lost') {
    lease.lose('another owner has this session')
    live.end('left')
  } else {
    turn.progress({ type: 'error', code: kept.failure.code, message: kept.failure.message })
    live.end('doubt')
  }
  return LEFT
}

/**
 * The data itself cannot be stored: the run ends without it. The person's own words are tried once
 * more.
 */
function withhold(refused: Failure, turn: Turn, keepMessage: boolean): undefined {
  const { writer, history } = turn.parts
  turn.log.error('commit_refused', { error: refused.message })
  const message = keepMessage
    ? writer.staged.find(({ kind }) => kind === 'user_message')
    : undefined
  writer.discard()
  history.stale = true
  if (message) writer.stage(message)
  turn.state = turn.done(refused)
}

/**
 * The last commit: outcomes for open calls, the end of the run, the lane released or kept for what
 * waits.
 */
async function finish(turn: Turn): Promise<Driven> {
  const { writer, live, heard, released } = turn.parts
  for (const item of heard()) writer.took(item) // nobody is left to hear them
  for (let tries = 1; turn.state.kind === 'done'; tries++) {
    const { reason, error } = turn.state
    const steps = turn.entries.filter((entry) => entry.kind === 'model_reply').length
    const ended = turn.fact({
      kind: 'run_ended',
      reason,
      usage: turn.usage,
      steps,
      ...spent([...turn.entries, ...turn.beside]),
      ...(error ? { error: { code: error.code, message: error.message } } : {}),
    })
    const staged = stage([...unsettled(turn), ended], turn)
    // Even a tap that refuses everything cannot keep a run from ending: this entry says so and no
    // more.
    if (!staged.ok)
      writer.stage(
        turn.fact({
          kind: 'run_ended',
          reason: 'error',
          usage: turn.usage,
          steps,
          error: { code: staged.error.code, message: staged.error.message },
        }),
      )
    const kept = await writer.commit(IDLE, 'end')
    if (kept.kind === 'refused' && tries < 3) withhold(kept.failure, turn, tries === 1)
    else if (kept.kind === 'refused')
      return leftWith({ kind: 'doubt', failure: kept.failure }, turn)
    else if (kept.kind !== 'ok') return leftWith(kept, turn)
    else {
      if (kept.released) released(turn.state)
      turn.tell(kept.entries, writer.head)
      live.end('done')
      if (error && reason === 'error')
        turn.log.warn('run_failed', { code: error.code, error: error.message })
      const { end } = hooksIn(turn).run
      if (end.tapped)
        void end.call(
          {
            reason,
            usage: turn.usage,
            steps,
            text: turn.text,
            ms: turn.parts.clock.now() - turn.record.started_at,
            ...(error ? { error } : {}),
          },
          turn,
        )
      return kept.mine ? { kind: 'ended', released: kept.released } : LEFT
    }
  }
  return LEFT
}

/** What the last call took, and what all of them cost. */
function spent(entries: readonly JournalEntry[]): Pick<RunEnded, 'last_usage' | 'cost'> {
  const last = entries.findLast((entry) => entry.kind === 'model_reply')
  const costs = entries.flatMap(
    (entry) => (entry.kind === 'child_closed' ? entry.cost : spentIn(entry)?.cost) ?? [],
  )
  return {
    ...(last && { last_usage: last.usage }),
    ...(costs.length > 0 && { cost: costs.reduce((sum, cost) => sum + cost, 0) }),
  }
}

/** Outcomes for the calls of the current step that nothing has become of. */
function unsettled(turn: Turn): readonly JournalEntry[] {
  const { entries } = turn
  const reply = entries.findLast((entry) => entry.kind === 'model_reply')
  if (reply?.kind !== 'model_reply' || reply.calls.length === 0) return []
  const settled = new Set(
    entries.flatMap((entry) =>
      entry.kind === 'tool_outcome' || entry.kind === 'child_closed' ? [entry.call] : [],
    ),
  )
  return reply.calls
    .filter(({ id }) => !settled.has(id))
    .map(({ id, name }) =>
      turn.fact({
        kind: 'tool_outcome',
        call: id,
        name,
        ms: 0,
        ...(turn.begun.has(id)
          ? {
              status: 'unknown',
              code: 'OUTCOME_UNKNOWN',
              output: `${NO_OUTCOME} Whether it took effect is unknown.`,
            }
          : { status: 'error', output: NO_OUTCOME }),
      }),
    )
}
