import type { ErrorEvent } from '../events.ts'
import { failure, PluginError, type Failure } from '../errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { Committed } from '../journal/writer.ts'
import { messageOf, ok, type Result } from '../result.ts'
import { IDLE, isLegal, type AgentState, type ActiveKind, type PendingAsk } from './state.ts'
import type { Step, Turn } from './turn.ts'

type Active = Exclude<AgentState, { kind: 'done' }>
type Done = Extract<AgentState, { kind: 'done' }>
type CommitOk = Extract<Committed, { kind: 'ok' }>
/** One handler per state: a missing one does not compile. */
export type Handlers<T extends Turn = Turn> = {
  readonly [K in ActiveKind]: (state: Extract<AgentState, { kind: K }>, turn: T) => Promise<Step>
}

/** The outcome of a call that did not run: the next model call needs one for every call. */
export const NO_OUTCOME = 'This call has no result: the turn ended before it ran.'

/** Redirects by hooks that are allowed per step; more than that is a loop. */
const MAX_REDIRECTS = 8

/** The outcome of driving a run. */
export type DriveOutcome =
  /** `released`: no instance owns the session now. */
  | { readonly kind: 'ended' | 'parked'; readonly released: boolean }
  /** This process gives the run up: another instance may own it, so no effects follow. */
  | { readonly kind: 'abandoned' }
  /** The run continues from its last commit in the current generation. */
  | { readonly kind: 'handover' }

const ABANDONED: DriveOutcome = { kind: 'abandoned' }

/**
 * Drives a turn from state to state until it ends, parks or loses its lease. Entries are staged,
 * committed at the commit points, and their events are emitted only after the commit.
 */
export async function drive<T extends Turn>(turn: T, handlers: Handlers<T>): Promise<DriveOutcome> {
  // After a crash, a commit proves the lease and stores the recovery before anything runs.
  let outcome: DriveOutcome | undefined
  if (turn.parts.afterCrash && turn.state.kind !== 'done') outcome = await commitPoint(turn, 'hold')
  while (!outcome)
    outcome =
      turn.state.kind === 'done' ? await finish(turn) : await step(turn.state, turn, handlers)
  return outcome
}

async function step<T extends Turn>(
  from: Active,
  turn: T,
  handlers: Handlers<T>,
): Promise<DriveOutcome | undefined> {
  if (mustAbandon(turn)) return abandon(turn)
  const entered = turn.stopped === undefined ? await enter(from, turn) : stoppedState(turn)
  if (entered) return move(turn, entered)

  const { entries, next } = await exit(from, await handle(from, turn, handlers), turn)
  if (mustAbandon(turn)) return abandon(turn)
  const staged = stage(entries, turn)
  const reached = staged.ok ? next : turn.done(staged.error)
  move(turn, staged.ok && turn.stopped !== undefined ? stoppedState(turn) : reached)
  turn.parts.alive()
  if (turn.state.kind === 'done' || !mustCommit(from, entries, turn.state)) return undefined
  return commitPoint(turn, parks(from, turn) ? 'park' : 'hold')
}

/** A question parks the run unless a tap may still answer it. */
const parks = (from: Active, { state, parts }: Turn): boolean =>
  state.kind === 'confirming' && (from.kind === 'confirming' || !parts.canAutoAnswer)

const hooksIn = ({ parts }: Turn): Hooks => parts.generation.hooks

const mustAbandon = ({ stopped }: Turn): boolean =>
  stopped === 'lost' || stopped === 'stalled' || stopped === 'handover'

function abandon(turn: Turn): DriveOutcome {
  const { writer, history, live, clock } = turn.parts
  writer.discard()
  history.stale = true
  if (turn.stopped === 'handover') {
    live.reset(clock.now())
    return { kind: 'handover' }
  }
  live.end('abandoned')
  return ABANDONED
}

function stoppedState(turn: Turn): AgentState {
  return turn.stopped === 'deadline'
    ? {
        kind: 'done',
        reason: 'budget_exceeded',
        error: failure('TIMEOUT', 'the run took longer than `limits.timeoutSeconds`'),
      }
    : { kind: 'done', reason: 'user_abort' }
}

/** Moves to a state. Before the next model call, every call of the last step gets an outcome. */
function move(turn: Turn, to: AgentState): undefined {
  const closed = to.kind === 'thinking' ? stage(outcomesOfOpenCalls(turn), turn) : ok(undefined)
  const next = closed.ok ? withWrittenAsks(to, turn) : turn.done(closed.error)
  const { changed } = hooksIn(turn).state
  if (changed.tapped) changed.call(turn.state.kind, next.kind, turn)
  turn.state = next
}

const withWrittenAsks = (state: AgentState, turn: Turn): AgentState =>
  state.kind === 'confirming'
    ? { ...state, asks: state.asks.map((ask) => asWritten(ask, turn)) }
    : state

/** A question as its entry was written: what a tap removed there is removed from the state too. */
function asWritten(ask: PendingAsk, turn: Turn): PendingAsk {
  const entry = hooksIn(turn).journal.write.tapped
    ? turn.entries.find((one) => one.kind === 'input_asked' && one.ask === ask.id)
    : undefined
  return entry?.kind === 'input_asked'
    ? { ...ask, schema: entry.schema, context: entry.context }
    : ask
}

/**
 * The commit points: before an effect, after outcomes that readers wait for, before and after a
 * question, after a compaction, when a sub-agent is opened or closed, and after a reply that a hook
 * discards so that the model call is repeated.
 */
function mustCommit(from: Active, entries: readonly JournalEntry[], next: Active): boolean {
  return (
    next.kind === 'confirming' ||
    from.kind === 'confirming' ||
    (from.kind === 'streaming' && next.kind === 'thinking' && entries.length > 0) ||
    entries.some(
      ({ kind }) =>
        kind === 'tool_intent' ||
        kind === 'tool_outcome' ||
        kind === 'compacted' ||
        kind === 'child_opened' ||
        kind === 'child_closed',
    )
  )
}

/** One of the six `state.enter` hooks, typed for any state. */
interface EnterHook {
  readonly tapped: boolean
  readonly call: (
    state: AgentState,
    ctx: Turn,
  ) => Promise<Result<AgentState | undefined, PluginError>>
}

async function enter(state: Active, turn: Turn): Promise<AgentState | undefined> {
  const hook = hooksIn(turn).state.enter[state.kind] as EnterHook // the hook of this very kind
  if (!hook.tapped) return undefined
  const result = await hook.call(state, turn)
  return !result.ok
    ? turn.done(result.error)
    : result.value && redirected(state, result.value, turn)
}

async function exit(state: Active, { entries, next }: Step, turn: Turn): Promise<Step> {
  const hook = hooksIn(turn).state.leave[state.kind]
  if (!hook.tapped) return { entries, next }
  const result = await hook.call({ to: next, entries }, state, turn)
  if (!result.ok) return { entries, next: turn.done(result.error) }
  return {
    entries: result.value.entries,
    next: result.value.to === next ? next : redirected(state, result.value.to, turn),
  }
}

/** A hook redirects the run. More than eight redirects per step end it as a loop. */
function redirected(from: Active, to: AgentState, turn: Turn): AgentState {
  turn.record = { ...turn.record, redirects: turn.record.redirects + 1 }
  if (turn.record.redirects <= MAX_REDIRECTS * from.step) return to
  return turn.done(
    failure(
      'BAD_VALUE',
      `hooks redirected this run ${turn.record.redirects} times in ${from.step} steps (last: ${from.kind} → ${to.kind})`,
    ),
  )
}

/** Runs the handler of a state. A handler that throws moves the run to `done` with its error. */
async function handle<T extends Turn>(from: Active, turn: T, handlers: Handlers<T>): Promise<Step> {
  try {
    // the handler of this very kind
    const handler = handlers[from.kind] as (state: AgentState, turn: T) => Promise<Step>
    const step = await handler(from, turn)
    return isLegal(from.kind, step.next.kind)
      ? step
      : {
          entries: [],
          next: turn.done(failure('INTERNAL', `illegal move ${from.kind} → ${step.next.kind}`)),
        }
  } catch (cause) {
    turn.log.error('state_failed', { state: from.kind, error: messageOf(cause) })
    return {
      entries: [],
      next: turn.done(
        PluginError.is(cause)
          ? cause
          : failure('INTERNAL', `${from.kind}: ${messageOf(cause)}`, { cause }),
      ),
    }
  }
}

/** Passes entries through `journal.write`, stages them and applies them to the history. */
export function stage(entries: readonly JournalEntry[], turn: Turn): Result<void, PluginError> {
  const { writer, history } = turn.parts
  const { write } = hooksIn(turn).journal
  for (const entry of [...turn.sideEntries.splice(0), ...entries]) {
    const written = write.tapped ? write.call(entry, turn) : ok(entry)
    if (!written.ok) return written
    const sequenced = writer.stage(written.value, turn.sealed(entry, written.value))
    history.apply(sequenced, sequenced.seq)
    if (entry.kind === 'model_reply') turn.reply = entry
    // Sealed arguments are not erased while the outcome is unknown: the call may be retried under
    // its key.
    if (entry.kind === 'tool_outcome' && entry.status !== 'unknown')
      for (const { call, seq } of sealedOf(turn)) if (call === entry.call) writer.erase(seq)
  }
  return ok(undefined)
}

const sealedOf = (turn: Turn) =>
  turn.entries.flatMap((entry) =>
    entry.sealed !== undefined && !sealsRedactedValues(entry) && 'call' in entry
      ? [{ call: entry.call, seq: entry.seq }]
      : [],
  )

/** Their sealed part holds redacted values, which are never erased. */
const sealsRedactedValues = (entry: JournalEntry): boolean =>
  entry.kind === 'tool_outcome' || (entry.kind === 'input_asked' && entry.ask_type === 'question')

/** Commits in the middle of a turn. Returns an outcome where the run cannot continue, or parks. */
async function commitPoint(turn: Turn, end: 'hold' | 'park'): Promise<DriveOutcome | undefined> {
  const { writer, live, onReleased } = turn.parts
  const committed = await writer.commit(turn.storedState(turn.state), end)
  if (committed.kind === 'refused') return abortCommit(committed.failure, turn, true)
  if (committed.kind !== 'ok') return abandonAfter(committed, turn)
  if (end === 'park' && committed.released) onReleased(turn.state)
  turn.emitCommitted(committed.entries, writer.head)
  // An earlier try has written it, and since then another owner has claimed the session.
  if (!committed.stillOwned) {
    live.end('abandoned')
    return ABANDONED
  }
  if (end === 'hold' || !committed.released) return undefined
  live.end('parked')
  return { kind: 'parked', released: true }
}

function abandonAfter(
  committed: Extract<Committed, { kind: 'lost' | 'doubt' }>,
  turn: Turn,
): DriveOutcome {
  const { lease, live } = turn.parts
  turn.parts.history.stale = true
  if (committed.kind === 'lost') {
    lease.lose('another owner has this session')
    live.end('abandoned')
  } else {
    const { code, message } = committed.failure
    const event: ErrorEvent = { type: 'error', code, message }
    turn.progress(event)
    live.end('failed')
  }
  return ABANDONED
}

/**
 * The store refused the data: the run ends without it. The person's message is retried once, on its
 * own.
 */
function abortCommit(refused: Failure, turn: Turn, retainMessage: boolean): undefined {
  const { writer, history } = turn.parts
  turn.log.error('commit_refused', { error: refused.message })
  const message = retainMessage
    ? writer.staged.find(({ kind }) => kind === 'user_message')
    : undefined
  writer.discard()
  history.stale = true
  if (message) writer.stage(message)
  turn.state = turn.done(refused)
}

/**
 * The last commit: outcomes for open calls, the end of the run, and the session released, or held
 * for pending messages.
 */
async function finish(turn: Turn): Promise<DriveOutcome> {
  const { writer, takeControls } = turn.parts
  // The run is over: nothing will handle them.
  for (const item of takeControls()) writer.acknowledge(item)
  for (let tries = 1; turn.state.kind === 'done'; tries++) {
    const done = turn.state
    const { reason, error } = done
    const steps = turn.entries.filter((entry) => entry.kind === 'model_reply').length
    const ended = turn.newEntry({
      kind: 'run_ended',
      reason,
      usage: turn.usage,
      steps,
      ...turn.totals(),
      ...(error ? { error: { code: error.code, message: error.message } } : {}),
    })
    const staged = stage([...outcomesOfOpenCalls(turn), ended], turn)
    // A tap that refuses every entry cannot keep a run from ending: this entry bypasses the taps.
    if (!staged.ok)
      writer.stage(
        turn.newEntry({
          kind: 'run_ended',
          reason: 'error',
          usage: turn.usage,
          steps,
          error: { code: staged.error.code, message: staged.error.message },
        }),
      )
    const committed = await writer.commit(IDLE, 'end')
    if (committed.kind === 'ok') return announce(done, steps, committed, turn)
    if (committed.kind !== 'refused') return abandonAfter(committed, turn)
    if (tries === 3) return abandonAfter({ kind: 'doubt', failure: committed.failure }, turn)
    abortCommit(committed.failure, turn, tries === 1)
  }
  return ABANDONED
}

/** The end of the run is committed: its events are emitted and `run.end` is called. */
function announce(done: Done, steps: number, committed: CommitOk, turn: Turn): DriveOutcome {
  const { writer, live, onReleased, clock } = turn.parts
  const { reason, error } = done
  if (committed.released) onReleased(done)
  turn.emitCommitted(committed.entries, writer.head)
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
        ms: clock.now() - turn.record.started_at,
        entries: turn.entries,
        ...(error ? { error } : {}),
      },
      turn,
    )
  return committed.stillOwned ? { kind: 'ended', released: committed.released } : ABANDONED
}

/** Outcomes for the calls of the current step that have none. */
function outcomesOfOpenCalls(turn: Turn): readonly JournalEntry[] {
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
      turn.newEntry({
        kind: 'tool_outcome',
        call: id,
        name,
        ms: 0,
        ...(turn.startedEffects.has(id)
          ? {
              status: 'unknown',
              code: 'OUTCOME_UNKNOWN',
              output: `${NO_OUTCOME} Whether it took effect is unknown.`,
            }
          : { status: 'error', output: NO_OUTCOME }),
      }),
    )
}
