import type { AgentEvent } from '../agent-event.ts'
import {
  bail,
  collect,
  kernelHooks,
  mapHooks,
  observe,
  parallel,
  series,
  waterfall,
  type Failure,
  type HookToken,
  type SessionFacts,
} from '@amodal/kernel'
import type { Answer, Question } from '../ports/ask.ts'
import type { AgentBundle, BundleIssue, BundleSource } from '../ports/bundle.ts'
import type { DispatchRequest, DispatchVerdict } from '../ports/dispatcher.ts'
import type {
  ModelCall,
  ModelResult,
  ModelSource,
  RetryVerdict,
  RouteVerdict,
  StreamTransform,
} from '../ports/model.ts'
import type { PromptDraft } from '../ports/prompt-draft.ts'
import type { RouteTable } from '../ports/routes.ts'
import type { RunContext } from '../ports/run-context.ts'
import type { Audience, RuntimeEvent } from '../ports/runtime-event.ts'
import type { OpenRequest, RunRequest, RunVerdict, SessionDraft } from '../ports/session.ts'
import type { PreparedCall, ToolList, ToolResult } from '../ports/tool.ts'
import type { Verdict } from '../ports/verdict.ts'
import { attributed } from './attribute.ts'
import { aRoute, has, onlyRaised } from './checks.ts'

const kernel = kernelHooks<RunContext, AgentEvent>()

/**
 * Every point in time at which a plugin may act: the hooks of the kernel, and those that the loop
 * and the server call. The catalogue is closed; a plugin may publish hooks of its own with {@link
 * defineHook}. Order inside a hook: stage, then plan.
 */
export const HOOKS = {
  bundle: {
    /** Packages merge, overrides. */
    load: waterfall<[bundle: AgentBundle, source: BundleSource]>({
      onError: 'fail',
      timeoutMs: 60_000,
      check: has('hash', 'manifest', 'issues', 'parts'),
    }),
    /** Validators add issues to the list. */
    check: series<[bundle: AgentBundle, issues: BundleIssue[]]>({
      onError: 'fail',
      timeoutMs: 60_000,
    }),
    /** These are the agent's files from now on. */
    used: observe<[bundle: AgentBundle]>({ onError: 'skip' }),
  },
  /** Mount `{ fetch }` handlers; called once per generation. */
  http: { routes: observe<[routes: RouteTable]>({ onError: 'fail' }) },
  session: {
    open: waterfall<[draft: SessionDraft, request: OpenRequest]>({
      onError: 'fail',
      timeoutMs: 5_000,
      check: has('title', 'meta'),
    }),
    close: parallel<[session: SessionFacts, reason: string]>({
      onError: 'skip',
      timeoutMs: 10_000,
    }),
  },
  journal: kernel.journal,
  run: {
    /** Limits, budget, input guard. A failure denies the run. */
    start: bail<[request: RunRequest, ctx: RunContext], RunVerdict>({
      onError: 'fail',
      timeoutMs: 5_000,
      check: has('reason', 'message'),
    }),
    ...kernel.run,
  },
  /** Final edits; sections come from the `PromptSections` registry. */
  prompt: {
    compile: waterfall<[draft: PromptDraft, ctx: RunContext]>({
      onError: 'fail',
      timeoutMs: 5_000,
      check: has('sections'),
      attribute: attributed,
    }),
  },
  /** Hide, subset, filter by role. */
  tools: {
    list: waterfall<[tools: ToolList, ctx: RunContext]>({
      onError: 'fail',
      timeoutMs: 5_000,
      check: has('tools', 'aliases'),
    }),
  },
  state: kernel.state,
  model: {
    /** Which model takes the call; asked before each attempt. */
    route: bail<[call: ModelCall, ctx: RunContext], RouteVerdict>({
      onError: 'fail',
      timeoutMs: 1_000,
      check: aRoute,
    }),
    /** Messages, settings, cache marks. */
    call: waterfall<[call: ModelCall, ctx: RunContext]>({
      onError: 'fail',
      timeoutMs: 5_000,
      check: has('config', 'system', 'messages', 'tools', 'toolChoice', 'settings'),
    }),
    /** Wrap the model, or put another one in its place. */
    open: waterfall<[source: ModelSource, call: ModelCall, ctx: RunContext]>({
      onError: 'fail',
      timeoutMs: 5_000,
      check: has('open'),
    }),
    /** One transform per tap, composed once per call: there is no hook per token. */
    stream: collect<[call: ModelCall, ctx: RunContext], StreamTransform>({
      onError: 'fail',
      guards: true,
      check: (streamTransform) =>
        typeof streamTransform.push === 'function' && typeof streamTransform.flush === 'function'
          ? undefined
          : 'returned no transform with `push` and `flush`',
    }),
    done: parallel<[call: ModelCall, result: ModelResult, ctx: RunContext]>({
      onError: 'skip',
      timeoutMs: 5_000,
    }),
    /** Retry, failover, stop. */
    failed: bail<[error: Failure, call: ModelCall, attempt: number, ctx: RunContext], RetryVerdict>(
      { onError: 'fail', timeoutMs: 5_000, check: has('action') },
    ),
  },
  tool: {
    /** Rewrite arguments, before they are frozen. */
    call: waterfall<[call: PreparedCall, ctx: RunContext]>({
      onError: 'fail',
      timeoutMs: 5_000,
      check: has('tool', 'args'),
    }),
    /** Sees the final, frozen call. Every guard is called, the strictest wins, a failure denies. */
    guard: waterfall<[verdict: Verdict, call: PreparedCall, ctx: RunContext]>({
      onError: 'fail',
      timeoutMs: 5_000,
      guards: true,
      check: onlyRaised,
    }),
    /** Scrub, cut. A failure withholds the result. */
    result: waterfall<[result: ToolResult, call: PreparedCall, ctx: RunContext]>({
      onError: 'fail',
      timeoutMs: 5_000,
      guards: true,
      check: has('status'),
    }),
    done: parallel<[call: PreparedCall, result: ToolResult, ctx: RunContext]>({
      onError: 'skip',
      timeoutMs: 5_000,
    }),
  },
  /** Answers instead of a person, in evals or an embedding. A failure means no. */
  confirm: {
    ask: bail<[question: Question, ctx: RunContext], Answer>({
      onError: 'fail',
      timeoutMs: 5_000,
      check: has('answer'),
    }),
  },
  dispatch: {
    start: bail<[request: DispatchRequest, ctx: RunContext], DispatchVerdict>({
      onError: 'fail',
      timeoutMs: 5_000,
    }),
  },
  event: {
    ...kernel.event,
    /**
     * Something on the server has changed. Called by the code that made the change, with the
     * audience that may see the event.
     */
    runtime: observe<[event: RuntimeEvent, audience: Audience]>({ onError: 'skip' }),
  },
  kernel: kernel.kernel,
} as const

type Names<T, Path extends string = ''> = {
  [K in keyof T & string]: T[K] extends { readonly kind: string; readonly policy: object }
    ? `${Path}${K}`
    : Names<T[K], `${Path}${K}.`>
}[keyof T & string]

/** `tool.guard`, `state.enter.thinking`, … */
export type HookName = Names<typeof HOOKS>

/** Which plugins must tap a hook, or the kernel does not boot. */
export type MustTap = Partial<Readonly<Record<HookName, readonly string[]>>>

/** The catalogue as a list. */
export function listHooks(): readonly HookToken[] {
  const hooks: HookToken[] = []
  mapHooks(HOOKS, (hook) => {
    hooks.push(hook)
    return hook
  })
  return hooks
}
