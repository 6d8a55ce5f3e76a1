import type { RunEvent } from '../events.ts'
import type { PluginError } from '../errors.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { TurnContext } from '../loop/context.ts'
import type { AgentState, ActiveKind, StateKind } from '../loop/state.ts'
import type { RunOutcome } from '../ports/session.ts'
import { legalMove, sameEvent, sameIdentity } from './checks.ts'
import { bail, observe, parallel, syncWaterfall, waterfall } from './spec.ts'

/** The exit of a state: the next state, and the entries to commit. */
export interface Exit {
  readonly to: AgentState
  readonly entries: readonly JournalEntry[]
}

/**
 * The hooks that the kernel calls itself. `HOOKS` of the sdk adds those of the agent. `C` is the
 * context of a turn that taps receive, `E` the type of its events.
 */
export function kernelHooks<C extends TurnContext, E extends RunEvent = RunEvent>() {
  const enter = <K extends ActiveKind>(kind: K) =>
    bail<[state: Extract<AgentState, { kind: K }>, ctx: C], AgentState>({
      onError: 'fail',
      timeoutMs: 5_000,
      check: (to) => legalMove(kind, to),
    })

  const leave = (kind: ActiveKind) =>
    waterfall<[exit: Exit, state: AgentState, ctx: C]>({
      onError: 'fail',
      timeoutMs: 5_000,
      check: (exit) =>
        Array.isArray(exit.entries) ? legalMove(kind, exit.to) : 'returned an exit without entries',
    })

  return {
    /**
     * Changes texts before they are stored, never ids, kinds or hashes. Idempotent. On a failure
     * the entry is not stored and the run ends.
     */
    journal: {
      write: syncWaterfall<[entry: JournalEntry, ctx: C]>({
        onError: 'fail',
        guards: true,
        check: sameIdentity,
      }),
    },
    run: { end: parallel<[outcome: RunOutcome, ctx: C]>({ onError: 'skip', timeoutMs: 10_000 }) },
    state: {
      /** Redirect before a state. */
      enter: {
        thinking: enter('thinking'),
        streaming: enter('streaming'),
        executing: enter('executing'),
        confirming: enter('confirming'),
        dispatching: enter('dispatching'),
        compacting: enter('compacting'),
      },
      /** Redirect, or add entries, after a state. */
      leave: {
        thinking: leave('thinking'),
        streaming: leave('streaming'),
        executing: leave('executing'),
        confirming: leave('confirming'),
        dispatching: leave('dispatching'),
        compacting: leave('compacting'),
      },
      changed: observe<[from: StateKind, to: StateKind, ctx: C]>({ onError: 'skip' }),
    },
    event: {
      /**
       * Last rewrite before the wire. It also runs on a replay, so it is idempotent. An event whose
       * tap fails is not emitted.
       */
      emit: syncWaterfall<[event: E, ctx: C]>({
        onError: 'fail',
        guards: true,
        check: sameEvent,
      }),
      /** Best effort; what must not be lost is a projection of the journal. */
      sent: observe<[event: E, ctx: C]>({ onError: 'skip' }),
    },
    kernel: {
      /**
       * Stop accepting work; the signal aborts at the end of the wait. A tap that needs longer
       * declares it with `timeoutMs`.
       */
      drain: parallel<[reason: string]>({ onError: 'skip', timeoutMs: 10_000 }),
      /** Something failed inside a plugin. */
      failed: observe<[error: PluginError]>({ onError: 'skip' }),
    },
  } as const
}
