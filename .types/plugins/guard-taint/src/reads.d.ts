import type { PreparedCall } from '@amodal/sdk';
import { type Origin } from './origin.ts';
import type { Known } from './taint.ts';
/**
 * What a read would carry out. An address of the web has to stand as it is in something that was said or read: one that
 * is put together may hold anything. A read of a connection may not take along a long text from somewhere else, and no
 * text at all where somewhere else it was told to.
 *
 * @param longest characters of text that are no long text yet; 0: texts are not looked at
 */
export declare function carriedOut(call: PreparedCall, known: Known, longest: number): readonly Origin[];
