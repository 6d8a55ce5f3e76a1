import { PluginError } from './errors.ts';
import type { Generation } from './generation.ts';
import { type PlannedPlugin, type PlanProblem } from './plan.ts';
import { type Result } from './result.ts';
import type { Slot } from './token.ts';
/**
 * One plugin that is set up. What it contributes is recorded, not wired: a generation puts the contributions in
 * place, and so does the next one when this plugin did not change.
 */
export declare class Instance {
    #private;
    readonly planned: PlannedPlugin;
    /** Its taps, entries, services and decorations, each as what puts it in place. */
    readonly contributions: ((to: Generation) => PlanProblem | void)[];
    readonly provisions: {
        readonly slot: Slot<unknown>;
        made: boolean;
    }[];
    readonly problems: PlanProblem[];
    state: 'new' | 'set up' | 'running' | 'down';
    setupMs: number;
    /** Generations that use it; torn down when the last one lets go. */
    holders: number;
    /** The wiring it belongs to now. A carried-over plugin moves to the new one at the swap. */
    home: Generation;
    constructor(planned: PlannedPlugin, home: Generation);
    get name(): string;
    /** Runs `setup`, which registers and does no I/O. */
    setup(): Result<void, PluginError>;
    boot(): Promise<Result<void, PluginError>>;
    teardown(): Promise<readonly PluginError[]>;
}
