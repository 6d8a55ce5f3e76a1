import { ServiceScope, type Binding, type Seed } from './container.ts';
import type { PluginError } from './errors.ts';
import type { Tap, Tracer } from './hooks/hook.ts';
import { HookSet, type CallableOf, type Hooks } from './hooks/hooks.ts';
import type { HookRunner } from './hooks/runner.ts';
import type { HookSpec, HookToken } from './hooks/spec.ts';
import type { Instance } from './instance.ts';
import { type Plan, type PlanProblem } from './plan.ts';
import { type Logger } from './ports/log.ts';
import { Entries } from './registry.ts';
import type { Registry, Slot } from './token.ts';
/** What every generation of a kernel shares. */
export interface Surroundings {
    readonly runner: HookRunner;
    readonly services: readonly Seed[];
    readonly tracer: Tracer | undefined;
    /** Keeps a failure for inspection. */
    readonly record: (error: PluginError) => void;
}
/**
 * One wiring of one plan. It does not change: a reload builds the next one beside it, and this one retires
 * when the last run that holds it ends.
 */
export declare class Generation {
    #private;
    readonly id: number;
    readonly plan: Plan;
    readonly hooks: Hooks;
    /** The kernel scope. */
    readonly scope: ServiceScope;
    readonly instances: Instance[];
    readonly hookSet: HookSet;
    readonly registries: Map<symbol, Entries>;
    constructor(id: number, plan: Plan, around: Surroundings);
    /** Runs that hold it. */
    get held(): number;
    /** Aborts when its plugins are to be undone: no run begins, and one in progress hands over at its last commit. */
    get signal(): AbortSignal;
    /** The log of this wiring; lines written before it is complete are kept until then. */
    get log(): Logger;
    /** The entries of a registry, in plan order. The same map each time. */
    registry<T>(token: Registry<T>): ReadonlyMap<string, T>;
    /** The plugin that added an entry: it is named when the entry fails. */
    ownerOf(token: Registry<unknown>, key: string): string;
    entries({ id, key }: Registry<unknown>): Entries;
    /** A hook that a plugin publishes. */
    hook<S extends HookSpec>(token: HookToken<S>): CallableOf<S>;
    /** Keeps this wiring alive until the returned function is called. */
    acquire(): () => void;
    /** Puts in place what a plugin contributes: the same for one that was just set up and one that is carried over. */
    adopt(instance: Instance): readonly PlanProblem[];
    tap(hook: HookToken, tap: Tap): void;
    bind(binding: Binding): void;
    /** Puts a decorator around what fills a slot so far. */
    wrap(slot: Slot<unknown>, plugin: string, around: (inner: unknown) => unknown): void;
    /** What the preset demands of the hooks, once all is in place. */
    missingGuards(): readonly PlanProblem[];
    /** The wiring is complete: from here on the log is the real one. Throws what its factory throws. */
    complete(): void;
    /** From here on this is where its plugins live. */
    settle(): void;
    /** Waits for its runs; past `drainMs` they are asked to hand over. Then its idle sessions let go of their services: the plugins are all there still. */
    drain(drainMs: number, graceMs: number): Promise<void>;
    /** Lets go of its plugins; those that no other generation uses are torn down, last first. */
    release(): Promise<readonly PluginError[]>;
    report(error: PluginError): void;
}
