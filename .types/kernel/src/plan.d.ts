import { type Code, type PluginError } from './errors.ts';
import { type Entry, type Env, type Plugin, type UseOptions } from './plugin.ts';
import { type Result } from './result.ts';
import type { Slot } from './token.ts';
/** Why a list of plugins cannot run. */
export interface PlanProblem {
    readonly code: Code;
    /** Names of the plugins concerned, the one at fault first. */
    readonly plugins: readonly string[];
    readonly message: string;
    /** The next step. */
    readonly fix: string;
}
/** Why a kernel did not start, or a reload was refused. `explain` of the sdk makes text of it. */
export type KernelError = {
    readonly kind: 'plan';
    readonly problems: readonly PlanProblem[];
} | {
    readonly kind: 'plugin';
    readonly error: PluginError;
};
export declare function problem(code: Code, plugins: readonly string[], message: string, fix?: string): PlanProblem;
interface Listed {
    readonly name: string;
    readonly plugin: Plugin;
    readonly config: unknown;
    readonly options: UseOptions;
}
/** A plugin in its place; `name` is its `as`, or that of the plugin. `config` is parsed and frozen. */
export interface PlannedPlugin extends Listed {
    /** Config before parsing, after `adjustConfig`. */
    readonly raw: unknown;
    /** By slot id: who provides it and then who wraps it. What a reload compares. */
    readonly needs: ReadonlyMap<string, readonly string[]>;
}
/** `to` stands behind `from`, for this reason. Without `from`, `needs` and `wraps` cannot run; the others can. */
export interface PlanEdge {
    readonly from: string;
    readonly to: string;
    readonly kind: 'needs' | 'wraps' | 'uses' | 'after';
    readonly reason: string;
}
/** What will run, and why in this order: pure data. */
export interface Plan {
    readonly plugins: readonly PlannedPlugin[];
    readonly edges: readonly PlanEdge[];
    /** Slot id → plugin; `kernel` for what the kernel itself hands in. */
    readonly providers: ReadonlyMap<string, string>;
    /** Slot id → plugins that wrap it, innermost first. */
    readonly decorators: ReadonlyMap<string, readonly string[]>;
    readonly mustTap: Required<PlanOptions>['mustTap'];
    /** Told at every start, such as a pinned plugin that was taken out. */
    readonly warnings: readonly string[];
    /** `after db-pglite (needs memory-store)`. */
    why(name: string): string;
}
export interface PlanOptions {
    /** For `adjustConfig`. */
    readonly env?: Env;
    /** Plugins that may only be left out with `unsafe: true`. */
    readonly pinned?: readonly string[];
    /** Hook → plugins that must tap it, or the kernel does not boot. */
    readonly mustTap?: Readonly<Record<string, readonly string[]>>;
    /** Slot id → names of plugins that could fill it, for the fix of a missing one. */
    readonly builtinProviders?: Readonly<Record<string, readonly string[]>>;
    /** Slots that are filled from outside, beside those of the kernel itself. */
    readonly given?: readonly Slot<unknown>[];
}
/**
 * Orders a list of plugins, or says everything that is wrong with it. Pure: nothing of a plugin runs but `adjustConfig`.
 *
 * @example
 * const plan = resolvePlan([use(memory, { maxEntries: 20 }), use(memoryStoreInline)])
 * if (!plan.ok) throw new Error(explain(plan.error))
 */
export declare function resolvePlan(entries: readonly Entry[], options?: PlanOptions): Result<Plan, readonly PlanProblem[]>;
export {};
