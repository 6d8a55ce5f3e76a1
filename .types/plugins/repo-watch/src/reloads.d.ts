import { type Agent, type Generation, type Logger } from '@amodal/sdk';
interface Parts {
    readonly agent: Agent;
    readonly log: Logger;
    readonly generation: () => Generation;
    readonly debounceMs: number;
    /** Before the files are read. */
    readonly prepare: () => Promise<void>;
}
/** Loads the agent's files once a change is over, and says what came of it. */
export declare class Reloads {
    #private;
    constructor(parts: Parts);
    changed(path: string | undefined): void;
    close(): Promise<void>;
}
export {};
