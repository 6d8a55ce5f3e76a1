import type { HookKind } from './spec.ts';
/** A tap after wrapping, or all taps of a hook as one. They have a first argument and the rest, so that nothing needs an arity. */
export type Run = (first: unknown, rest: readonly unknown[]) => unknown;
/** Makes one of many, in their order. The taps of asynchronous kinds always return promises. */
type Join = (taps: readonly Run[]) => Run;
/** How the taps of each kind are run. */
export interface HookRunner {
    readonly name: 'tapable' | 'plain';
    readonly join: Readonly<Record<HookKind, Join>>;
}
/** The runner asked for, or the one this place allows. */
export declare function chooseRunner(wanted: HookRunner['name'] | undefined): HookRunner;
export {};
