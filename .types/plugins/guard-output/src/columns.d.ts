import type { Span } from './finding.ts';
/** Tells the head of the column that a number fills a cell of. */
export interface Heads {
    headOf(span: Span): string | undefined;
}
/**
 * The tables of a text: Markdown, or rows parted by tabs, semicolons or commas. Each row is read once, however many
 * numbers stand in it, and its head is remembered, also where the text before it is no longer there.
 */
export declare class Columns implements Heads {
    #private;
    constructor(text: string);
    /** Goes on with another part of the same text, which begins behind `shift` characters of the whole. */
    turnTo(text: string, shift: number): void;
    headOf({ start, end }: Span): string | undefined;
}
