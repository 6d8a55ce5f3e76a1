import type { AgentEvent } from '../events.ts';
import type { PluginError } from '../errors.ts';
import type { JournalEntry } from '../journal/entry.ts';
import type { TurnContext } from '../loop/context.ts';
import type { AgentState } from '../loop/state.ts';
import type { RunOutcome } from '../ports/session.ts';
/** How a state is left: where to, and what became true in it. */
export interface Exit {
    readonly to: AgentState;
    readonly facts: readonly JournalEntry[];
}
/**
 * The hooks that the kernel calls itself, whatever runs on it. `HOOKS` of the sdk adds those of the agent.
 * Their taps are given the turn, and `C` is what its loop makes of one.
 */
export declare function kernelHooks<C extends TurnContext>(): {
    /** Changes texts before they are stored, never ids, kinds or hashes. Idempotent. A failure withholds the entry and ends the run. */
    readonly journal: {
        readonly write: import("./spec.ts").HookSpec<"syncWaterfall", [entry: JournalEntry, ctx: C], JournalEntry>;
    };
    readonly run: {
        readonly end: import("./spec.ts").HookSpec<"parallel", [outcome: RunOutcome, ctx: C], void>;
    };
    readonly state: {
        /** Redirect before a state. */
        readonly enter: {
            readonly thinking: import("./spec.ts").HookSpec<"bail", [state: {
                readonly kind: 'thinking';
                readonly step: number;
            }, ctx: C], AgentState>;
            readonly streaming: import("./spec.ts").HookSpec<"bail", [state: {
                readonly kind: 'streaming';
                readonly step: number;
                readonly attempt: number;
            }, ctx: C], AgentState>;
            readonly executing: import("./spec.ts").HookSpec<"bail", [state: {
                readonly kind: 'executing';
                readonly step: number;
                readonly calls: readonly import("../loop/state.ts").CallState[];
            }, ctx: C], AgentState>;
            readonly confirming: import("./spec.ts").HookSpec<"bail", [state: {
                readonly kind: 'confirming';
                readonly step: number;
                readonly asks: readonly import("../loop/state.ts").PendingAsk[];
                readonly calls: readonly import("../loop/state.ts").CallState[];
                readonly children?: readonly import("../loop/state.ts").ChildState[];
            }, ctx: C], AgentState>;
            readonly dispatching: import("./spec.ts").HookSpec<"bail", [state: {
                readonly kind: 'dispatching';
                readonly step: number;
                readonly children: readonly import("../loop/state.ts").ChildState[];
                readonly calls: readonly import("../loop/state.ts").CallState[];
            }, ctx: C], AgentState>;
            readonly compacting: import("./spec.ts").HookSpec<"bail", [state: {
                readonly kind: 'compacting';
                readonly step: number;
                readonly cause: 'threshold' | 'overflow';
            }, ctx: C], AgentState>;
        };
        /** Redirect, or add facts, after a state. */
        readonly leave: {
            readonly thinking: import("./spec.ts").HookSpec<"waterfall", [exit: Exit, state: AgentState, ctx: C], Exit>;
            readonly streaming: import("./spec.ts").HookSpec<"waterfall", [exit: Exit, state: AgentState, ctx: C], Exit>;
            readonly executing: import("./spec.ts").HookSpec<"waterfall", [exit: Exit, state: AgentState, ctx: C], Exit>;
            readonly confirming: import("./spec.ts").HookSpec<"waterfall", [exit: Exit, state: AgentState, ctx: C], Exit>;
            readonly dispatching: import("./spec.ts").HookSpec<"waterfall", [exit: Exit, state: AgentState, ctx: C], Exit>;
            readonly compacting: import("./spec.ts").HookSpec<"waterfall", [exit: Exit, state: AgentState, ctx: C], Exit>;
        };
        readonly changed: import("./spec.ts").HookSpec<"observe", [from: "compacting" | "confirming" | "dispatching" | "done" | "executing" | "streaming" | "thinking", to: "compacting" | "confirming" | "dispatching" | "done" | "executing" | "streaming" | "thinking", ctx: C], void>;
    };
    readonly event: {
        /** Last rewrite before the wire; runs again on replay, so idempotent. A failure withholds the event. */
        readonly emit: import("./spec.ts").HookSpec<"syncWaterfall", [event: AgentEvent, ctx: C], AgentEvent>;
        /** Best effort; what must not be lost is a projection of the journal. */
        readonly sent: import("./spec.ts").HookSpec<"observe", [event: AgentEvent, ctx: C], void>;
    };
    readonly kernel: {
        /** Stop taking work; the signal aborts when waiting is over. A tap that waits for longer says so with `timeoutMs`. */
        readonly drain: import("./spec.ts").HookSpec<"parallel", [reason: string], void>;
        /** Something failed inside a plugin. */
        readonly failed: import("./spec.ts").HookSpec<"observe", [error: PluginError], void>;
    };
};
