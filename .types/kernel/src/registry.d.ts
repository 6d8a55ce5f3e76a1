import { type PlanProblem } from './plan.ts';
/** Who added an entry; `instead` of whom, where it overrides one. */
interface Owner {
    readonly plugin: string;
    readonly override: boolean;
    readonly instead?: string;
}
/** The entries of one registry in one generation. Keys are owned; a clash names both owners. */
export declare class Entries {
    readonly id: string;
    readonly values: Map<string, unknown>;
    readonly owners: Map<string, Owner>;
    constructor(id: string);
    /** An override wins whatever the order; two of the same sort under one key are a problem. */
    add(key: string, value: unknown, plugin: string, override: boolean): PlanProblem | undefined;
}
export {};
