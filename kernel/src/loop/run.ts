import { failure, PluginError } from '../errors.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { NO_OUTCOME } from '../journal/history.ts'
import type { Committed } from '../journal/writer.ts'
import { Sealer } from '../ports/sealer.ts'
import type { CommitEnd } from '../ports/session-store.ts'
import { err, messageOf, ok, type Result } from '../result.ts'
import { compacting } from './compacting.ts'
import { confirming } from './confirming.ts'
import { dispatching } from './dispatching.ts'
import { executing } from './executing.ts'
import { IDLE, isLegal, type AgentState, type LiveStateKind } from './state.ts'
import { streaming } from './streaming.ts'
import { thinking } from './thinking.ts'
import type { Step, Turn } from './turn.ts'

type Handlers = { readonly [K in LiveStateKind]: (state: Extract<AgentState, { kind: K }>, turn: Turn) => Promise<Step> }

/** One handler per state: a missing one does not compile. */
const HANDLERS: Handlers = { thinking, streaming, executing, confirming, dispatching, compacting }

/** Redirects by hooks that one step may take before it is a loop. */
const MAX_REDIRECTS = 8

/** How driving a turn ended, for the lane. `released`: nobody owns the lane now. */
export type Driven =
  | { readonly kind: 'ended' | 'parked'; readonly released: boolean }
  /** Somebody else has the lane, or nobody knows: no further effects here. */
  | { readonly kind: 'left' }
  /** To go on from the last commit, in the generation that is current now. */
  | { readonly kind: 'handover' }

/**
 * Drives a turn from state to state until it ends, parks or is lost. What states make true is staged,
 * committed at the four kinds of commit points, and told only then.
 */
export async function drive(turn: Turn): Promise<Driven> {
  let redirects = turn.record.redirects
  for (;;) {
    if (turn.state.kind === 'done') return finish(turn)
    if (gone(turn)) return leave(turn)
    const from = turn.state
    const entered = await enter(from, turn)
    if (entered && ++redirects > MAX_REDIRECTS) turn.state = turn.done(failure('BAD_VALUE', `hooks redirected this run more than ${MAX_REDIRECTS} times (last: ${from.kind} → ${entered.kind})`))
    else if (entered) turn.state = entered
    if (entered) continue

    const step = await exit(from, await attempt(from, turn), turn)
    if (gone(turn)) return leave(turn)
    const staged = stage(step.facts, turn)
    const next: AgentState = !staged.ok ? turn.done(staged.error) : turn.stopped === undefined ? step.next : stoppedAt(turn)
    if (turn.hooks.state.changed.tapped) turn.hooks.state.changed.call(from.kind, next.kind, turn)
    turn.state = next
    turn.parts.alive()
    if (next.kind === 'done' || !mustCommit(from, step, next)) continue

    const end: CommitEnd = next.kind === 'confirming' && (from.kind === 'confirming' || !turn.hooks.confirm.ask.tapped) ? 'park' : 'hold'
    turn.record = { ...turn.record, redirects }
    const kept = await turn.parts.writer.commit(turn.laneState(next), end)
    const after = committed(kept, turn)
    if (after) return after
    if (end === 'park' && kept.kind === 'ok' && kept.released) {
      turn.parts.live.end('parked')
      return { kind: 'parked', released: true }
    }
  }
}

const gone = (turn: Turn): boolean => turn.stopped === 'lost' || turn.stopped === 'stale' || turn.stopped === 'handover'

function leave(turn: Turn): Driven {
  turn.parts.writer.discard()
  if (turn.stopped === 'handover') return { kind: 'handover' }
  turn.parts.live.end('left')
  return { kind: 'left' }
}

function stoppedAt(turn: Turn): AgentState {
  return turn.stopped === 'deadline'
    ? { kind: 'done', reason: 'budget_exceeded', error: failure('TIMEOUT', 'the run took longer than `limits.timeoutSeconds`') }
    : { kind: 'done', reason: 'user_abort' }
}

/** Before an effect, after outcomes that readers wait for, before parking. */
function mustCommit(from: AgentState, { facts }: Step, next: AgentState): boolean {
  return next.kind === 'confirming' || from.kind === 'confirming'
    || facts.some(({ kind }) => kind === 'tool_intent' || kind === 'tool_outcome' || kind === 'compacted' || kind === 'child_opened')
}

async function enter(state: Exclude<AgentState, { kind: 'done' }>, turn: Turn): Promise<AgentState | undefined> {
  const hook = turn.hooks.state.enter[state.kind] as { readonly tapped: boolean; readonly call: (state: AgentState, ctx: Turn) => Promise<Result<AgentState | undefined, PluginError>> } // the hook of this very kind
  if (!hook.tapped) return undefined
  const said = await hook.call(state, turn)
  return said.ok ? said.value : turn.done(said.error)
}

async function exit(state: Exclude<AgentState, { kind: 'done' }>, step: Step, turn: Turn): Promise<Step> {
  const hook = turn.hooks.state.leave[state.kind]
  if (!hook.tapped) return step
  const said = await hook.call({ to: step.next, facts: step.facts }, state, turn)
  return said.ok ? { facts: said.value.facts, next: said.value.to } : { facts: step.facts, next: turn.done(said.error) }
}

/** A handler that throws is a committed transition like any other. */
async function attempt(state: Exclude<AgentState, { kind: 'done' }>, turn: Turn): Promise<Step> {
  try {
    const handler = HANDLERS[state.kind] as (state: AgentState, turn: Turn) => Promise<Step> // the handler of this very kind
    const step = await handler(state, turn)
    return isLegal(state.kind, step.next.kind) ? step : { facts: [], next: turn.done(failure('INTERNAL', `illegal move ${state.kind} → ${step.next.kind}`)) }
  } catch (cause) {
    turn.log.error('state_failed', { state: state.kind, error: messageOf(cause) })
    return { facts: [], next: turn.done(PluginError.is(cause) ? cause : failure('INTERNAL', `${state.kind}: ${messageOf(cause)}`, { cause })) }
  }
}

/** Passes entries through `journal.write`, stages them and applies them to the history. */
export function stage(facts: readonly JournalEntry[], turn: Turn): Result<void, PluginError> {
  const { writer, history, generation, ref } = turn.parts
  for (const fact of facts) {
    let entry = fact
    if (turn.hooks.journal.write.tapped) {
      const written = turn.hooks.journal.write.call(fact, turn)
      if (!written.ok) return err(written.error)
      entry = written.value
    }
    history.apply(writer.stage(entry, sealedPart(fact, entry)), writer.head + writer.staged.length)
  }
  return ok(undefined)

  /** What the executor needs and nobody else may see: the arguments, where what is shown differs or a person approves them. */
  function sealedPart(fact: JournalEntry, entry: JournalEntry): string | undefined {
    const args = fact.kind === 'tool_intent' && entry !== fact ? fact.args
      : fact.kind === 'input_asked' && fact.ask_type === 'approval' && fact.call ? approvedArgs(fact.call) : undefined
    if (args === undefined) return undefined
    const sealed = generation.scope.find(Sealer)?.seal(ref, JSON.stringify(args))
    return sealed?.ok ? sealed.value : undefined
  }
  function approvedArgs(call: import('../ids.ts').CallId): import('../messages.ts').JsonObject | undefined {
    const prepared = turn.prepared.get(call)
    return prepared?.kind === 'ready' ? prepared.call.args : undefined
  }
}

/** Tells what a commit made true. Returns how the turn is left where it cannot go on. */
function committed(kept: Committed, turn: Turn): Driven | undefined {
  switch (kept.kind) {
    case 'ok':
      turn.tell(kept.entries, turn.parts.writer.head)
      if (kept.mine) return undefined
      turn.parts.live.end('left')
      return { kind: 'left' }
    case 'lost':
      turn.parts.lease.lose('another owner has this session')
      turn.parts.live.end('left')
      return { kind: 'left' }
    case 'doubt':
      turn.progress({ type: 'error', code: 'COMMIT_IN_DOUBT', message: kept.failure.message })
      turn.parts.live.end('doubt')
      return { kind: 'left' }
    case 'refused':
      // The data itself cannot be stored: the run ends without it. Twice in a row means that nothing can be.
      turn.log.error('commit_refused', { error: kept.failure.message })
      turn.parts.writer.discard()
      turn.state = turn.done(kept.failure)
      return undefined
  }
}

/** The last commit: outcomes for open calls, the end of the run, the lane released or kept for what waits. */
async function finish(turn: Turn): Promise<Driven> {
  const { writer, live } = turn.parts
  for (let attempts = 0; turn.state.kind === 'done'; attempts++) {
    const { reason, error } = turn.state
    const closing = [
      ...openCalls(turn).map((call) => turn.fact({ kind: 'tool_outcome', call: call.id, name: call.name, status: call.unknown ? 'unknown' : 'error', output: call.unknown ? `${NO_OUTCOME} Whether it took effect is unknown.` : NO_OUTCOME, ms: 0 })),
      turn.fact({ kind: 'run_ended', reason, usage: turn.usage, steps: turn.callSteps, ...(error ? { error: { code: error.code, message: error.message } } : {}) }),
    ]
    const staged = stage(closing, turn)
    if (!staged.ok) {
      // Even a tap that refuses everything cannot keep a run from ending: this entry says so and no more.
      writer.stage({ ...turn.fact({ kind: 'run_ended', reason: 'error', usage: turn.usage, steps: 0, error: { code: staged.error.code, message: staged.error.message } }) })
    }
    const kept = await writer.commit(IDLE, 'end')
    if (kept.kind === 'refused' && attempts > 0) {
      turn.log.error('run_lost', { run: turn.run, error: kept.failure.message })
      turn.progress({ type: 'error', code: 'STORE_FAILED', message: kept.failure.message })
      live.end('doubt')
      return { kind: 'left' }
    }
    turn.parts.ended(kept.kind === 'ok' && kept.released)
    const left = committed(kept, turn)
    if (kept.kind === 'refused') continue
    if (left && !(kept.kind === 'ok' && kept.released)) return left
    live.end('done')
    if (turn.hooks.run.end.tapped) void turn.hooks.run.end.call({ reason, usage: turn.usage, steps: turn.callSteps, text: turn.text }, turn)
    return { kind: 'ended', released: kept.kind === 'ok' && kept.released }
  }
  return { kind: 'left' }
}

/** Calls of the current step that nothing has become of. */
function openCalls(turn: Turn): readonly { readonly id: import('../ids.ts').CallId; readonly name: string; readonly unknown: boolean }[] {
  const settled = new Set<string>()
  const begun = new Set<string>()
  for (const entry of [...turn.parts.past, ...turn.told, ...turn.parts.writer.staged]) {
    if (entry.kind === 'tool_outcome') settled.add(entry.call)
    if (entry.kind === 'tool_intent') begun.add(entry.call)
  }
  return (turn.reply?.calls ?? []).filter(({ id }) => !settled.has(id)).map(({ id, name }) => ({ id, name, unknown: begun.has(id) }))
}
