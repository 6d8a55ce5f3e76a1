import { Generation, type Surroundings } from './generation.ts';
import { Instance } from './instance.ts';
import type { KernelError, Plan } from './plan.ts';
import { type Result } from './result.ts';
/**
 * Wires a plan beside `old`: sets up what is new, carries over what is not, boots (unless it is a dry run), and undoes
 * all of it on any failure. Plugins that are carried over are not touched, so `old` serves on meanwhile.
 */
export declare function assemble(old: Generation | undefined, plan: Plan, around: Surroundings, dry?: boolean): Promise<Result<Generation, KernelError>>;
/** Plugins of `old` that `next` can go on using: same definition, same config, and all they need likewise. */
export declare function carryOver(old: Generation | undefined, next: Plan): ReadonlyMap<string, Instance>;
/** The plugins that cannot run without these, and these. */
export declare function withDependants(plan: Plan, names: Iterable<string>): ReadonlySet<string>;
