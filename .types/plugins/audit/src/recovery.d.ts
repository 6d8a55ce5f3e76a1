import { type Clock, type Logger } from '@amodal/sdk';
import type { DatabaseChains } from './database-store.ts';
import type { Sealing } from './sealing.ts';
import type { ChainStore } from './store.ts';
import type { Trail } from './trail.ts';
interface Around {
    readonly chains: DatabaseChains;
    readonly sealing: Sealing;
    readonly exclusive: boolean;
    readonly clock: Clock;
    readonly log: Logger;
}
/** What a process left behind that died: lines without a checkpoint. Looked for once, before the first line of this process. */
export declare class Recovery {
    #private;
    constructor(around: Around);
    /** The store, adding nothing before the look is over. */
    first(store: ChainStore): ChainStore;
    begin(trail: Trail): void;
    /** What is still to be said is said at once. */
    end(): Promise<void>;
}
export {};
