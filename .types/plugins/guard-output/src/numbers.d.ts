import type { Span } from './finding.ts';
/** Digits that stand together, and what joins them to the next ones: one sign, or nothing that counts as joining. */
export interface Group extends Span {
    readonly digits: string;
    readonly joint: string | undefined;
}
/** Every group of digits of a text, in order. */
export declare function groupsOf(text: string): readonly Group[];
/** How many digits so many groups have: known before anything is put together. */
export declare function countDigits(groups: readonly Group[], at: number, count: number): number;
/** Groups that one and the same sign joins. */
export interface Chain extends Span {
    readonly digits: string;
    readonly joint: string;
    readonly shape: string;
}
/** `count` groups from `at` on, if the same sign joins them and neither neighbour belongs to them too. */
export declare function chainAt(groups: readonly Group[], at: number, count: number): Chain | undefined;
/** The same, whatever stands beside them. */
export declare function partAt(groups: readonly Group[], at: number, count: number): Chain | undefined;
/** Whether a number stands by itself: not inside of a word, of a longer number, or of a code with dashes. */
export declare function standsAlone(text: string, { start, end }: Span): boolean;
