import { type Failure, type HookToken, type SessionFacts } from '@amodal/kernel';
import type { Answer, Question } from '../ports/ask.ts';
import type { AgentBundle, BundleIssue, BundleSource } from '../ports/bundle.ts';
import type { DispatchRequest, DispatchVerdict } from '../ports/dispatcher.ts';
import type { ModelCall, ModelResult, ModelSource, RetryVerdict, RouteVerdict, StreamTransform } from '../ports/model.ts';
import type { PromptDraft } from '../ports/prompt.ts';
import type { RouteTable } from '../ports/routes.ts';
import type { RunContext } from '../ports/run-context.ts';
import type { Audience, RuntimeEvent } from '../ports/runtime-event.ts';
import type { OpenRequest, RunRequest, RunVerdict, SessionDraft } from '../ports/session.ts';
import type { PreparedCall, ToolList, ToolResult } from '../ports/tool.ts';
import type { Verdict } from '../ports/verdict.ts';
/**
 * Every point in time at which a plugin may act: the hooks of the kernel, and those that the loop and the server call.
 * The catalogue is closed; a plugin may publish hooks of its own with {@link defineHook}. Order inside a hook: stage,
 * then plan.
 */
export declare const HOOKS: {
    readonly bundle: {
        /** Packages merge, overrides. */
        readonly load: import("@amodal/kernel").HookSpec<"waterfall", [bundle: AgentBundle, source: BundleSource], AgentBundle>;
        /** Validators add issues to the list. */
        readonly check: import("@amodal/kernel").HookSpec<"series", [bundle: AgentBundle, issues: BundleIssue[]], void>;
        /** These are the agent's files from now on. */
        readonly used: import("@amodal/kernel").HookSpec<"observe", [bundle: AgentBundle], void>;
    };
    /** Mount `{ fetch }` handlers; called once per generation. */
    readonly http: {
        readonly routes: import("@amodal/kernel").HookSpec<"observe", [routes: RouteTable], void>;
    };
    readonly session: {
        readonly open: import("@amodal/kernel").HookSpec<"waterfall", [draft: SessionDraft, request: OpenRequest], SessionDraft>;
        readonly close: import("@amodal/kernel").HookSpec<"parallel", [session: SessionFacts, reason: string], void>;
    };
    readonly journal: {
        readonly write: import("@amodal/kernel").HookSpec<"syncWaterfall", [entry: import("@amodal/kernel").JournalEntry, ctx: RunContext], import("@amodal/kernel").JournalEntry>;
    };
    readonly run: {
        readonly end: import("@amodal/kernel").HookSpec<"parallel", [outcome: import("@amodal/kernel").RunOutcome, ctx: RunContext], void>;
        /** Limits, budget, input guard. A failure denies the run. */
        readonly start: import("@amodal/kernel").HookSpec<"bail", [request: RunRequest, ctx: RunContext], RunVerdict>;
    };
    /** Final edits; sections come from the `PromptSections` registry. */
    readonly prompt: {
        readonly compile: import("@amodal/kernel").HookSpec<"waterfall", [draft: PromptDraft, ctx: RunContext], PromptDraft>;
    };
    /** Hide, subset, filter by role. */
    readonly tools: {
        readonly list: import("@amodal/kernel").HookSpec<"waterfall", [tools: ToolList, ctx: RunContext], ToolList>;
    };
    readonly state: {
        readonly enter: {
            readonly thinking: import("@amodal/kernel").HookSpec<"bail", [state: {
                readonly kind: 'thinking';
                readonly step: number;
            }, ctx: RunContext], import("@amodal/kernel").AgentState>;
            readonly streaming: import("@amodal/kernel").HookSpec<"bail", [state: {
                readonly kind: 'streaming';
                readonly step: number;
                readonly attempt: number;
            }, ctx: RunContext], import("@amodal/kernel").AgentState>;
            readonly executing: import("@amodal/kernel").HookSpec<"bail", [state: {
                readonly kind: 'executing';
                readonly step: number;
                readonly calls: readonly import("@amodal/kernel").CallState[];
            }, ctx: RunContext], import("@amodal/kernel").AgentState>;
            readonly confirming: import("@amodal/kernel").HookSpec<"bail", [state: {
                readonly kind: 'confirming';
                readonly step: number;
                readonly asks: readonly import("@amodal/kernel").PendingAsk[];
                readonly calls: readonly import("@amodal/kernel").CallState[];
                readonly children?: readonly import("@amodal/kernel").ChildState[];
            }, ctx: RunContext], import("@amodal/kernel").AgentState>;
            readonly dispatching: import("@amodal/kernel").HookSpec<"bail", [state: {
                readonly kind: 'dispatching';
                readonly step: number;
                readonly children: readonly import("@amodal/kernel").ChildState[];
                readonly calls: readonly import("@amodal/kernel").CallState[];
            }, ctx: RunContext], import("@amodal/kernel").AgentState>;
            readonly compacting: import("@amodal/kernel").HookSpec<"bail", [state: {
                readonly kind: 'compacting';
                readonly step: number;
                readonly cause: 'threshold' | 'overflow';
            }, ctx: RunContext], import("@amodal/kernel").AgentState>;
        };
        readonly leave: {
            readonly thinking: import("@amodal/kernel").HookSpec<"waterfall", [exit: import("@amodal/kernel").Exit, state: import("@amodal/kernel").AgentState, ctx: RunContext], import("@amodal/kernel").Exit>;
            readonly streaming: import("@amodal/kernel").HookSpec<"waterfall", [exit: import("@amodal/kernel").Exit, state: import("@amodal/kernel").AgentState, ctx: RunContext], import("@amodal/kernel").Exit>;
            readonly executing: import("@amodal/kernel").HookSpec<"waterfall", [exit: import("@amodal/kernel").Exit, state: import("@amodal/kernel").AgentState, ctx: RunContext], import("@amodal/kernel").Exit>;
            readonly confirming: import("@amodal/kernel").HookSpec<"waterfall", [exit: import("@amodal/kernel").Exit, state: import("@amodal/kernel").AgentState, ctx: RunContext], import("@amodal/kernel").Exit>;
            readonly dispatching: import("@amodal/kernel").HookSpec<"waterfall", [exit: import("@amodal/kernel").Exit, state: import("@amodal/kernel").AgentState, ctx: RunContext], import("@amodal/kernel").Exit>;
            readonly compacting: import("@amodal/kernel").HookSpec<"waterfall", [exit: import("@amodal/kernel").Exit, state: import("@amodal/kernel").AgentState, ctx: RunContext], import("@amodal/kernel").Exit>;
        };
        readonly changed: import("@amodal/kernel").HookSpec<"observe", [from: "compacting" | "confirming" | "dispatching" | "done" | "executing" | "streaming" | "thinking", to: "compacting" | "confirming" | "dispatching" | "done" | "executing" | "streaming" | "thinking", ctx: RunContext], void>;
    };
    readonly model: {
        /** Which model takes the call; asked before each attempt. */
        readonly route: import("@amodal/kernel").HookSpec<"bail", [call: ModelCall, ctx: RunContext], RouteVerdict>;
        /** Messages, settings, cache marks. */
        readonly call: import("@amodal/kernel").HookSpec<"waterfall", [call: ModelCall, ctx: RunContext], ModelCall>;
        /** Wrap the model, or put another one in its place. */
        readonly open: import("@amodal/kernel").HookSpec<"waterfall", [source: ModelSource, call: ModelCall, ctx: RunContext], ModelSource>;
        /** One transform per tap, composed once per call: there is no hook per token. */
        readonly stream: import("@amodal/kernel").HookSpec<"collect", [call: ModelCall, ctx: RunContext], StreamTransform>;
        readonly done: import("@amodal/kernel").HookSpec<"parallel", [call: ModelCall, result: ModelResult, ctx: RunContext], void>;
        /** Retry, failover, stop. */
        readonly failed: import("@amodal/kernel").HookSpec<"bail", [error: Failure, call: ModelCall, attempt: number, ctx: RunContext], RetryVerdict>;
    };
    readonly tool: {
        /** Rewrite arguments, before they are frozen. */
        readonly call: import("@amodal/kernel").HookSpec<"waterfall", [call: PreparedCall, ctx: RunContext], PreparedCall>;
        /** Sees the final, frozen call. Every guard is heard, the strictest wins, a failure denies. */
        readonly guard: import("@amodal/kernel").HookSpec<"waterfall", [verdict: Verdict, call: PreparedCall, ctx: RunContext], Verdict>;
        /** Scrub, cut. A failure withholds the result. */
        readonly result: import("@amodal/kernel").HookSpec<"waterfall", [result: ToolResult, call: PreparedCall, ctx: RunContext], ToolResult>;
        readonly done: import("@amodal/kernel").HookSpec<"parallel", [call: PreparedCall, result: ToolResult, ctx: RunContext], void>;
    };
    /** Answers instead of a person, in evals or an embedding. A failure means no. */
    readonly confirm: {
        readonly ask: import("@amodal/kernel").HookSpec<"bail", [question: Question, ctx: RunContext], Answer>;
    };
    readonly dispatch: {
        readonly start: import("@amodal/kernel").HookSpec<"bail", [request: DispatchRequest, ctx: RunContext], DispatchVerdict>;
    };
    readonly event: {
        readonly emit: import("@amodal/kernel").HookSpec<"syncWaterfall", [event: import("@amodal/kernel").AgentEvent, ctx: RunContext], import("@amodal/kernel").AgentEvent>;
        readonly sent: import("@amodal/kernel").HookSpec<"observe", [event: import("@amodal/kernel").AgentEvent, ctx: RunContext], void>;
        /** Something of the server changed, and who may know. Whoever changes it calls this. */
        readonly runtime: import("@amodal/kernel").HookSpec<"observe", [event: RuntimeEvent, audience: Audience], void>;
    };
    readonly kernel: {
        readonly drain: import("@amodal/kernel").HookSpec<"parallel", [reason: string], void>;
        readonly failed: import("@amodal/kernel").HookSpec<"observe", [error: import("@amodal/kernel").PluginError], void>;
    };
};
type Names<T, Path extends string = ''> = {
    [K in keyof T & string]: T[K] extends {
        readonly kind: string;
        readonly policy: object;
    } ? `${Path}${K}` : Names<T[K], `${Path}${K}.`>;
}[keyof T & string];
/** `tool.guard`, `state.enter.thinking`, … */
export type HookName = Names<typeof HOOKS>;
/** Which plugins must tap a hook, or the kernel does not boot. */
export type MustTap = Partial<Readonly<Record<HookName, readonly string[]>>>;
/** The catalogue as a list. */
export declare function listHooks(): readonly HookToken[];
export {};
