import { type Json } from '@amodal/kernel';
/** What a plugin says of itself in `GET /health`: merged into the answer; `problem` makes the status `degraded`. */
export interface HealthFact {
    readonly facts: Readonly<Record<string, Json>>;
    readonly problem?: string;
}
export declare const Health: import("@amodal/kernel").Registry<() => HealthFact>;
/** What `amodal doctor` is told of a part of the agent: it may start something to find out. */
export interface Checkup {
    readonly title: string;
    readonly ok: boolean;
    readonly lines: readonly string[];
}
export declare const Checkups: import("@amodal/kernel").Registry<(signal: AbortSignal) => Promise<Checkup | undefined>>;
