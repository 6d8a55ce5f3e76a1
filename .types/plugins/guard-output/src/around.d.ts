import type { Span } from './finding.ts';
export declare const AHEAD = 60;
export declare const END_OF_SENTENCE: RegExp;
/** What the same sentence says before a number, and behind it. */
export declare function sentenceAround(text: string, { start, end }: Span): {
    readonly before: string;
    readonly after: string;
};
