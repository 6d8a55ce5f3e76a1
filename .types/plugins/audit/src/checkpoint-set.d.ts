import { type Failure, type Result } from '@amodal/sdk';
/** Where checkpoints are looked for. */
export interface CheckpointPlaces {
    /** The folder that the agent keeps them in. */
    readonly own: string | undefined;
    /** The folder that it copies them to. */
    readonly copies: string | undefined;
    /** Folders and files kept elsewhere. */
    readonly given: readonly string[];
    /** A public key that is known by other means. */
    readonly key: string | undefined;
}
/** What somebody has signed of a place in a chain. */
export interface Signed {
    readonly n: number;
    readonly hash: string;
    readonly at: string;
    readonly isChained: boolean;
}
/** All checkpoints there are, and what is wrong with them. */
export interface CheckpointSet {
    readonly count: number;
    /** Of each tenant, by the line. */
    readonly signed: ReadonlyMap<string, ReadonlyMap<number, readonly Signed[]>>;
    /** The newest checkpoint of each writer. */
    readonly writers: ReadonlyMap<string, number>;
    readonly signers: ReadonlySet<string>;
    readonly problems: readonly string[];
    readonly notes: readonly string[];
    /** The agent's own folder holds none. */
    readonly isAbsent: boolean;
}
/** Reads all there are; a copy that a server is making now is waited for. An `Err` is what the file system says of a file that is there. */
export declare function readCheckpoints(places: CheckpointPlaces, now: () => number, signal: AbortSignal): Promise<Result<CheckpointSet, Failure>>;
