import type { Known } from '../taint.ts';
import { type Clause } from './clause.ts';
import { type Moments } from './day.ts';
import type { Given } from './deed.ts';
/** Whether a value that chooses nothing by itself was asked for all the same. */
export declare function isAskedValue(given: Given, about: readonly Clause[], known: Known, moments: Moments | undefined): boolean;
/** Numbers that a clause names, in digits or as a word; what parts their digits is read in both ways. */
export declare function numbersIn({ words, text }: Clause): readonly number[];
