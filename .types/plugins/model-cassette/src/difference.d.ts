import type { Asked } from './request.ts';
import type { Tape } from './tape.ts';
/** What keeps the nearest of the recordings from being this request. */
export declare function nearest(asked: Asked, tapes: readonly Tape[]): string;
