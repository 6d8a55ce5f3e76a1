import type { Folded } from './fold.ts';
import type { Needle } from './tracked.ts';
/** Whether so much stands behind a character that what follows does not belong to it. */
export declare const isWideGap: (text: string, folded: Folded, after: number) => boolean;
/**
 * Whether a place in a text is the whole value and nothing longer, and its characters belong together.
 *
 * @param seams places before which something else may have ended, though no sign stands there
 */
export declare function standsWhole(text: string, folded: Folded, at: number, needle: Needle, seams?: ReadonlySet<number>): boolean;
