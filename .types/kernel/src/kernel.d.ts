import { type Scope, type Seed } from './container.ts';
import type { PluginError } from './errors.ts';
import type { Generation } from './generation.ts';
import type { Tracer } from './hooks/hook.ts';
import { type HookRunner } from './hooks/runner.ts';
import { type KernelError, type PlanOptions } from './plan.ts';
import type { Entry } from './plugin.ts';
import { type Result } from './result.ts';
import { Clock } from './time.ts';
export interface KernelOptions extends Omit<PlanOptions, 'given'> {
    readonly clock?: Clock;
    /** How taps run; where code generation is refused, `plain` is taken by itself. */
    readonly runner?: HookRunner['name'];
    /** Sees what taps do to values: `traceValues()` of the sdk. */
    readonly trace?: Tracer;
    /** Sets up and wires, but boots nothing: to ask what plugins contribute, such as commands. */
    readonly dry?: boolean;
    /** Slots that the kernel itself fills. */
    readonly services?: readonly Seed[];
    /** ms a retiring generation waits for its runs before it asks them to hand over. */
    readonly drainMs?: number;
    /** ms they then have. */
    readonly graceMs?: number;
}
export interface Reloaded {
    readonly generation: Generation;
    /** Plugins that went on without being touched. */
    readonly carried: readonly string[];
    /** Resolves when the old generation has let go, with what failed while it was undone. */
    readonly retired: Promise<readonly PluginError[]>;
}
/** A failure as it is kept: plain, so that it holds on to nothing. */
export type RecordedError = Pick<PluginError, 'plugin' | 'phase' | 'where' | 'code' | 'message'> & {
    readonly at: number;
};
/**
 * What a kernel is made of and how it fares, as it stands: live objects, and config with its secrets.
 * `inspectionOf(kernel)` of the sdk makes JSON of it that is safe to show.
 */
export type KernelFacts = ReturnType<Kernel['facts']>;
/** Plugins, wired and running. Two kernels in one process know nothing of each other. */
export declare class Kernel {
    #private;
    private constructor();
    /**
     * Plans, sets up and boots.
     *
     * @example
     * const made = await Kernel.create([use(memory, { maxEntries: 20 }), use(memoryStoreInline)])
     * if (!made.ok) throw new Error(explain(made.error))
     * const kernel = made.value
     */
    static create(entries: readonly Entry[], options?: KernelOptions): Promise<Result<Kernel, KernelError>>;
    /** The generation that new runs take. */
    current(): Generation;
    /** The kernel scope of the current generation. */
    get scope(): Scope;
    get closed(): boolean;
    facts(): {
        generation: Generation;
        runner: "plain" | "tapable";
        services: readonly Seed[];
        errors: readonly RecordedError[];
        changes: readonly {
            readonly hook: string;
            readonly plugin: string;
            readonly changed: readonly string[];
        }[];
        env: Readonly<Record<string, string | undefined>>;
    };
    /** Builds the next generation beside this one, swaps, then retires the old. On any failure the running one serves on. */
    reload(entries: readonly Entry[]): Promise<Result<Reloaded, KernelError>>;
    /** Tells the plugins to stop taking work. */
    drain(reason: string): Promise<void>;
    /** Drains, waits for runs, and undoes everything, last made first. Returns what failed on the way. */
    close(reason?: string): Promise<readonly PluginError[]>;
}
