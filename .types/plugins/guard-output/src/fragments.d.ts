import type { Span } from './finding.ts';
/**
 * Looks for values in base64 of which the first or last sign is lost, so that no decoder reads their first or last
 * character: whatever stands before a value, its bytes are written in one of three ways, but for a sign at either end.
 */
export declare class Fragments<T> {
    #private;
    add(value: string, of: T): void;
    find(runs: readonly Run[]): readonly (Span & {
        readonly of: T;
    })[];
}
/** A run of the signs of base64, with the padding behind it. */
export interface Run {
    readonly text: string;
    readonly index: number;
}
/** Runs as bytes of text are in base64, and few words: of capitals, small letters and digits two of the three. */
export declare function mixedRuns(text: string): readonly Run[];
