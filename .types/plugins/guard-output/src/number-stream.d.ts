import type { PatternFinding } from './finding.ts';
/**
 * The numbers of a text that comes in parts. Places are those of what is held back: what begins before it is below zero.
 * A number is judged once, when what stands behind it is known; only then is the text around it read again.
 */
export declare class NumberStream {
    #private;
    /** Up to where the numbers of what is held can be judged: what comes next may belong to the last one, or say what it is. */
    settled(held: string): number;
    /** Whether something may be found in what is held; nearly all numbers have another form than any that is looked for. */
    mayHold(held: string): boolean;
    findings(held: string): readonly PatternFinding[];
    /** What is held begins behind this now. */
    letGo(text: string, found: readonly PatternFinding[]): void;
}
