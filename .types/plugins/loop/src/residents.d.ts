import type { SessionScope } from '@amodal/sdk';
import type { History } from './history.ts';
/** A session that nobody is at work on. Services that nobody has asked for are none. */
export interface Resident {
    readonly history: History;
    readonly scope: SessionScope | undefined;
}
/** Idle sessions that may be needed again: histories, which the journal can rebuild, and services. Capped by what they take in memory. */
export declare class Residents {
    #private;
    /** Bytes at most. */
    readonly limit: number;
    constructor(limit: number);
    get size(): number;
    /** About what they take in memory. */
    get bytes(): number;
    /** Gives it out, if nobody has written since: the owner keeps it while it works. */
    take(key: string, head: number): Resident | undefined;
    /** @returns whether it is kept; if not, its services are still the caller's to close */
    keep(key: string, { history, scope }: Resident, head: number): boolean;
    drop(key: string): void;
}
