import { type Database, type LaneRef } from '@amodal/sdk';
export declare const CHANNEL = "sessions";
type Heard = (ref: LaneRef) => void;
/** Tells other instances of sessions that changed here, and the watchers here of what changed there. */
export declare class News {
    #private;
    constructor(database: Pick<Database, 'listen'>);
    /** Payloads that name these lanes, as few as fit. */
    payloads(refs: readonly LaneRef[]): readonly string[];
    watch(heard: Heard): () => void;
    close(): void;
}
export {};
