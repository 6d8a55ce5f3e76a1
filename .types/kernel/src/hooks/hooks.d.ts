import type { PluginError } from '../errors.ts';
import type { Result } from '../result.ts';
import type { TurnContext } from '../loop/context.ts';
import { Hook } from './hook.ts';
import type { HookRunner } from './runner.ts';
import type { HookKind, HookSpec, HookToken, SyncKind } from './spec.ts';
/** What one tap of a `collect` hook made. */
export interface Collected<R> {
    readonly plugin: string;
    readonly value: R;
}
type Outcome<K extends HookKind, R> = K extends 'observe' | 'series' | 'parallel' ? void : K extends 'bail' ? R | undefined : K extends 'collect' ? readonly Collected<R>[] : R;
type Called<K extends HookKind, R> = K extends SyncKind ? Result<Outcome<K, R>, PluginError> : Promise<Result<Outcome<K, R>, PluginError>>;
/** A hook as the kernel calls it. Never throws; asynchronous kinds return a promise that never rejects. */
export interface Callable<K extends HookKind, A extends readonly unknown[], R> {
    /** Ask before preparing arguments. */
    readonly tapped: boolean;
    /** The plugin whose tap runs now; synchronous hooks only. */
    readonly running: string | undefined;
    readonly call: (...args: A) => Called<K, R>;
}
export type CallableOf<S> = S extends HookSpec<infer K, infer A, infer R> ? Callable<K, A, R> : never;
/** A table of hooks, to call. */
export type Wired<T> = {
    readonly [K in keyof T]: T[K] extends HookSpec ? CallableOf<T[K]> : Wired<T[K]>;
};
declare const KERNEL_HOOKS: {
    readonly journal: {
        readonly write: HookSpec<"syncWaterfall", [entry: import("@amodal/sdk").JournalEntry, ctx: TurnContext], import("@amodal/sdk").JournalEntry>;
    };
    readonly run: {
        readonly end: HookSpec<"parallel", [outcome: import("@amodal/sdk").RunOutcome, ctx: TurnContext], void>;
    };
    readonly state: {
        readonly enter: {
            readonly thinking: HookSpec<"bail", [state: {
                readonly kind: 'thinking';
                readonly step: number;
            }, ctx: TurnContext], import("@amodal/sdk").AgentState>;
            readonly streaming: HookSpec<"bail", [state: {
                readonly kind: 'streaming';
                readonly step: number;
                readonly attempt: number;
            }, ctx: TurnContext], import("@amodal/sdk").AgentState>;
            readonly executing: HookSpec<"bail", [state: {
                readonly kind: 'executing';
                readonly step: number;
                readonly calls: readonly import("@amodal/sdk").CallState[];
            }, ctx: TurnContext], import("@amodal/sdk").AgentState>;
            readonly confirming: HookSpec<"bail", [state: {
                readonly kind: 'confirming';
                readonly step: number;
                readonly asks: readonly import("@amodal/sdk").PendingAsk[];
                readonly calls: readonly import("@amodal/sdk").CallState[];
                readonly children?: readonly import("@amodal/sdk").ChildState[];
            }, ctx: TurnContext], import("@amodal/sdk").AgentState>;
            readonly dispatching: HookSpec<"bail", [state: {
                readonly kind: 'dispatching';
                readonly step: number;
                readonly children: readonly import("@amodal/sdk").ChildState[];
                readonly calls: readonly import("@amodal/sdk").CallState[];
            }, ctx: TurnContext], import("@amodal/sdk").AgentState>;
            readonly compacting: HookSpec<"bail", [state: {
                readonly kind: 'compacting';
                readonly step: number;
                readonly cause: 'threshold' | 'overflow';
            }, ctx: TurnContext], import("@amodal/sdk").AgentState>;
        };
        readonly leave: {
            readonly thinking: HookSpec<"waterfall", [exit: import("./catalog.ts").Exit, state: import("@amodal/sdk").AgentState, ctx: TurnContext], import("./catalog.ts").Exit>;
            readonly streaming: HookSpec<"waterfall", [exit: import("./catalog.ts").Exit, state: import("@amodal/sdk").AgentState, ctx: TurnContext], import("./catalog.ts").Exit>;
            readonly executing: HookSpec<"waterfall", [exit: import("./catalog.ts").Exit, state: import("@amodal/sdk").AgentState, ctx: TurnContext], import("./catalog.ts").Exit>;
            readonly confirming: HookSpec<"waterfall", [exit: import("./catalog.ts").Exit, state: import("@amodal/sdk").AgentState, ctx: TurnContext], import("./catalog.ts").Exit>;
            readonly dispatching: HookSpec<"waterfall", [exit: import("./catalog.ts").Exit, state: import("@amodal/sdk").AgentState, ctx: TurnContext], import("./catalog.ts").Exit>;
            readonly compacting: HookSpec<"waterfall", [exit: import("./catalog.ts").Exit, state: import("@amodal/sdk").AgentState, ctx: TurnContext], import("./catalog.ts").Exit>;
        };
        readonly changed: HookSpec<"observe", [from: "compacting" | "confirming" | "dispatching" | "done" | "executing" | "streaming" | "thinking", to: "compacting" | "confirming" | "dispatching" | "done" | "executing" | "streaming" | "thinking", ctx: TurnContext], void>;
    };
    readonly event: {
        readonly emit: HookSpec<"syncWaterfall", [event: import("@amodal/sdk").AgentEvent, ctx: TurnContext], import("@amodal/sdk").AgentEvent>;
        readonly sent: HookSpec<"observe", [event: import("@amodal/sdk").AgentEvent, ctx: TurnContext], void>;
    };
    readonly kernel: {
        readonly drain: HookSpec<"parallel", [reason: string], void>;
        readonly failed: HookSpec<"observe", [error: PluginError], void>;
    };
};
/** `generation.hooks`: the hooks that the kernel calls. */
export interface Hooks extends Wired<typeof KERNEL_HOOKS> {
}
/** Hooks by group; the name of a hook is its path. */
export interface HookTable {
    readonly [key: string]: HookSpec | HookTable;
}
/** A table, with something made of each hook. */
export declare function mapHooks(table: HookTable, make: (hook: HookToken) => object, path?: string): Readonly<Record<string, unknown>>;
/** All hooks of one generation, by name; those of the kernel by group, too. */
export declare class HookSet {
    #private;
    readonly all: Map<string, Hook>;
    readonly hooks: Hooks;
    constructor(runner: HookRunner, failed: (error: PluginError) => void);
    of(token: HookToken): Hook;
}
export {};
