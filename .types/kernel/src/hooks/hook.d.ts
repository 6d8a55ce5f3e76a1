import { PluginError } from '../errors.ts';
import { type Result } from '../result.ts';
import type { HookRunner } from './runner.ts';
import { type HookKind, type HookToken, type Stage } from './spec.ts';
/** `ms`: spent in taps, of all calls. `pending`: calls that have not returned yet. */
export interface TapStats {
    calls: number;
    errors: number;
    ms: number;
    pending: number;
}
/** A tap as it is recorded: it outlives the hook, so that a reload can put it on the next one. */
export interface Tap {
    readonly plugin: string;
    readonly stage: Stage;
    /** ms that it may need; 0: the hook's own limit will do. */
    readonly timeoutMs: number;
    readonly stats: TapStats;
    fn(...args: readonly unknown[]): unknown;
}
/** Puts itself around taps, to see what they do to values: `traceValues()` of the sdk. */
export interface Tracer {
    readonly changes: readonly {
        readonly hook: string;
        readonly plugin: string;
        readonly changed: readonly string[];
    }[];
    watch(hook: HookToken, tap: Tap): Tap;
}
/** Counts and times the function of a tap, whether it returns at once or later. */
export declare function measured(fn: Tap['fn'], stats: TapStats, kind: HookKind): Tap['fn'];
type Outcome = Result<unknown, PluginError>;
/**
 * One wired hook: checks what each tap returns, and turns whatever goes wrong inside into a {@link PluginError} that
 * names the plugin. `call` never throws.
 */
export declare class Hook {
    #private;
    readonly name: string;
    readonly spec: HookToken['spec'];
    /** In the order in which they run. */
    readonly taps: Tap[];
    /** The plugin whose tap runs now; synchronous hooks only. */
    running: string | undefined;
    constructor({ name, spec }: HookToken, runner: HookRunner, failed: (error: PluginError) => void);
    /** Ask this before preparing arguments: an untapped hook costs one comparison. */
    get tapped(): boolean;
    add(tap: Tap): void;
    call(first: unknown, ...rest: readonly unknown[]): Outcome | Promise<Outcome>;
}
export {};
