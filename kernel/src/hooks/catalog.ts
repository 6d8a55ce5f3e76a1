import type { AgentEvent } from '../events.ts'
import type { Failure, PluginError } from '../errors.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { RunContext } from '../loop/context.ts'
import type { AgentState, LiveStateKind, StateKind } from '../loop/state.ts'
import type { Answer, Question } from '../ports/ask.ts'
import type { AgentBundle, BundleIssue, BundleSource } from '../ports/bundle.ts'
import type { DispatchRequest, DispatchVerdict } from '../ports/dispatch.ts'
import type { ModelCall, ModelRef, ModelResult, RetryVerdict, StreamTransform } from '../ports/model.ts'
import type { PromptDraft } from '../ports/prompt.ts'
import type { RouteTable } from '../ports/routes.ts'
import type { OpenRequest, RunOutcome, RunRequest, RunVerdict, SessionDraft, SessionFacts } from '../ports/session.ts'
import type { PreparedCall, ToolList, ToolResult, Verdict } from '../ports/tool.ts'
import { has, legalMove, onlyRaised, sameEvent, sameIdentity } from './checks.ts'
import { bail, collect, observe, parallel, series, syncWaterfall, waterfall } from './spec.ts'

/** How a state is left: where to, and what became true in it. */
export interface Exit { readonly to: AgentState; readonly facts: readonly JournalEntry[] }

const enter = <K extends LiveStateKind>(kind: K) =>
  bail<[state: Extract<AgentState, { kind: K }>, ctx: RunContext], AgentState>({ onError: 'fail', timeoutMs: 5_000, check: (to) => legalMove(kind, to) })

const leave = (kind: LiveStateKind) =>
  waterfall<[exit: Exit, state: AgentState, ctx: RunContext]>({
    onError: 'fail', timeoutMs: 5_000,
    check: (exit) => (Array.isArray(exit.facts) ? legalMove(kind, exit.to) : 'returned an exit without `facts`'),
  })

/**
 * Every point in time at which a plugin may act. The catalogue is closed; a plugin may publish hooks
 * of its own with {@link defineHook}. Order inside a hook: stage, then plan.
 */
export const HOOKS = {
  bundle: {
    /** Packages merge, overrides. */
    load: waterfall<[bundle: AgentBundle, source: BundleSource]>({ onError: 'fail', timeoutMs: 10_000, check: has('hash', 'manifest', 'issues', 'parts') }),
    /** Validators add issues to the list. */
    check: series<[bundle: AgentBundle, issues: BundleIssue[]]>({ onError: 'fail', timeoutMs: 5_000 }),
  },
  /** Mount `{ fetch }` handlers; called once per generation. */
  http: { routes: observe<[routes: RouteTable]>({ onError: 'fail' }) },
  session: {
    open: waterfall<[draft: SessionDraft, request: OpenRequest]>({ onError: 'fail', timeoutMs: 5_000, check: has('title', 'meta') }),
    close: parallel<[session: SessionFacts, reason: string]>({ onError: 'skip', timeoutMs: 10_000 }),
  },
  /** Changes texts before they are stored, never ids, kinds or hashes. Idempotent. A failure withholds the entry and ends the run. */
  journal: { write: syncWaterfall<[entry: JournalEntry, ctx: RunContext]>({ onError: 'fail', check: sameIdentity }) },
  run: {
    /** Limits, budget, input guard. A failure denies the run. */
    start: bail<[request: RunRequest, ctx: RunContext], RunVerdict>({ onError: 'fail', timeoutMs: 5_000, check: has('reason', 'message') }),
    end: parallel<[outcome: RunOutcome, ctx: RunContext]>({ onError: 'skip', timeoutMs: 10_000 }),
  },
  /** Final edits; sections come from the `PromptSections` registry. */
  prompt: { compile: waterfall<[draft: PromptDraft, ctx: RunContext]>({ onError: 'fail', timeoutMs: 5_000, check: has('sections') }) },
  /** Hide, subset, filter by role. */
  tools: { list: waterfall<[tools: ToolList, ctx: RunContext]>({ onError: 'fail', timeoutMs: 5_000, check: has('tools', 'aliases') }) },
  state: {
    /** Redirect before a state. */
    enter: {
      thinking: enter('thinking'), streaming: enter('streaming'), executing: enter('executing'),
      confirming: enter('confirming'), dispatching: enter('dispatching'), compacting: enter('compacting'),
    },
    /** Redirect, or add facts, after a state. */
    leave: {
      thinking: leave('thinking'), streaming: leave('streaming'), executing: leave('executing'),
      confirming: leave('confirming'), dispatching: leave('dispatching'), compacting: leave('compacting'),
    },
    changed: observe<[from: StateKind, to: StateKind, ctx: RunContext]>({ onError: 'skip' }),
  },
  model: {
    route: bail<[call: ModelCall, ctx: RunContext], ModelRef>({ onError: 'fail', timeoutMs: 1_000, check: has('provider', 'model') }),
    /** Messages, settings, cache marks. */
    call: waterfall<[call: ModelCall, ctx: RunContext]>({ onError: 'fail', timeoutMs: 5_000, check: has('config', 'system', 'messages', 'tools', 'toolChoice', 'settings') }),
    /** One transform per tap, composed once per call: there is no hook per token. */
    stream: collect<[call: ModelCall, ctx: RunContext], StreamTransform>({
      onError: 'fail',
      check: (made) => (typeof made.push === 'function' && typeof made.flush === 'function' ? undefined : 'returned no transform with `push` and `flush`'),
    }),
    done: parallel<[call: ModelCall, result: ModelResult, ctx: RunContext]>({ onError: 'skip', timeoutMs: 5_000 }),
    /** Retry, failover, stop. */
    failed: bail<[error: Failure, call: ModelCall, attempt: number, ctx: RunContext], RetryVerdict>({ onError: 'fail', timeoutMs: 5_000, check: has('action') }),
  },
  tool: {
    /** Rewrite arguments, before they are frozen. */
    call: waterfall<[call: PreparedCall, ctx: RunContext]>({ onError: 'fail', timeoutMs: 5_000, check: has('tool', 'args') }),
    /** Sees the final, frozen call. Every guard is heard, the strictest wins, a failure denies. */
    guard: waterfall<[verdict: Verdict, call: PreparedCall, ctx: RunContext]>({ onError: 'fail', timeoutMs: 5_000, check: onlyRaised }),
    /** Scrub, cut. A failure withholds the result. */
    result: waterfall<[result: ToolResult, call: PreparedCall, ctx: RunContext]>({ onError: 'fail', timeoutMs: 5_000, check: has('status') }),
    done: parallel<[call: PreparedCall, result: ToolResult, ctx: RunContext]>({ onError: 'skip', timeoutMs: 5_000 }),
  },
  /** Answers instead of a person, in evals or an embedding. A failure means no. */
  confirm: { ask: bail<[question: Question, ctx: RunContext], Answer>({ onError: 'fail', timeoutMs: 5_000, check: has('answer') }) },
  dispatch: { start: bail<[request: DispatchRequest, ctx: RunContext], DispatchVerdict>({ onError: 'fail', timeoutMs: 5_000 }) },
  event: {
    /** Last rewrite before the wire; runs again on replay, so idempotent. A failure withholds the event. */
    emit: syncWaterfall<[event: AgentEvent, ctx: RunContext]>({ onError: 'fail', check: sameEvent }),
    /** Best effort; what must not be lost is a projection of the journal. */
    sent: observe<[event: AgentEvent, ctx: RunContext]>({ onError: 'skip' }),
  },
  kernel: {
    /** Stop taking work; the signal aborts when waiting is over. */
    drain: parallel<[reason: string]>({ onError: 'skip', timeoutMs: 10_000 }),
    /** Something failed inside a plugin. */
    failed: observe<[error: PluginError]>({ onError: 'skip' }),
  },
} as const

/** Hooks that guards stand on: what a preset may demand with `mustTap`, and where `optional` plugins may not stand. */
export const GUARD_HOOKS: readonly HookName[] = ['tool.guard', 'tool.result', 'model.stream', 'journal.write', 'event.emit']

type Names<T, Path extends string = ''> = {
  [K in keyof T & string]: T[K] extends { readonly kind: string; readonly policy: object } ? `${Path}${K}` : Names<T[K], `${Path}${K}.`>
}[keyof T & string]

/** `tool.guard`, `state.enter.thinking`, … */
export type HookName = Names<typeof HOOKS>
