import type { Chosen } from './chosen.ts';
import type { Source } from './corpus.ts';
import type { Known } from './taint.ts';
/** Whether a person, the agent's files or the tool's own schema say a value as it stands; a path, part by part. */
export declare function isSaid({ field, value }: Chosen, { own, session: { person }, constants }: Known): boolean;
/** An address with and without what people leave out of one. */
export declare function spellings(value: string): readonly string[];
/** The newest result that has a value. */
export declare function sourceOf(value: string | number, { session: { outside }, described }: Known): Source | undefined;
