import type { PreparedCall } from '@amodal/sdk';
import { type Origin } from '../origin.ts';
import type { Known } from '../taint.ts';
/**
 * What of a call nobody asked for: the call itself, where no person's words ask for what it does, or values that stand in none of
 * them. Empty, where a person asked for it, as far as words can tell.
 */
export declare function unasked(call: PreparedCall, known: Known, now: number): Promise<readonly Origin[]>;
