import type { PrincipalId } from '@amodal/sdk';
import type { Told } from './event.ts';
import type { View } from './view.ts';
/** Text for everybody who stands at one place and may know the same. */
export interface Chunk {
    readonly text: string; /** The place behind it. */
    readonly upto: number;
}
/**
 * The newest events of one tenant. Places go on from the time it was made (in ms, times 1,000), so that one which was
 * given by a server before this one, or by another one, is not taken for one of these.
 */
export declare class Topic {
    #private;
    constructor(size: number, now: number);
    /** The place behind the newest event. */
    get head(): number;
    add({ type, seq: _seq, timestamp: _timestamp, ...rest }: Told, owner: PrincipalId | undefined, at: number): void;
    /** Whether everything behind a place is still here. */
    has(place: number): boolean;
    /** What follows a place, a piece of it at most. */
    after(place: number, view: View): Chunk;
}
