import { type Json } from '@amodal/sdk';
import type { Source } from './corpus.ts';
import type { Known } from './taint.ts';
export interface Text {
    readonly field: string;
    readonly value: string;
}
/** The texts of a value, each with its place. */
export declare function textsIn(value: Json, field: string): readonly Text[];
/**
 * The result that a text, or a part of it, was taken from; none, where a person or the agent's files say the same.
 *
 * @param except a connection whose results do not count: it knows them
 */
export declare function takenFrom(text: string, { own, session: { person, outside } }: Known, except?: string): Source | undefined;
