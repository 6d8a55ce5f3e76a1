import type { Known } from '../taint.ts';
import { type Origin } from '../origin.ts';
/**
 * What a text of a call holds that nobody asked to pass on: links and accounts of strangers, secrets, and whole sentences of theirs.
 * What the model writes in its own words is the model's to write.
 */
export declare function carriedIn(field: string, text: string, known: Known, asked: readonly string[]): readonly Origin[];
