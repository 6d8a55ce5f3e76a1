import { type Finding, type Reader, type Review } from './review.ts';
/** Stands behind what had left when something was found that may not leave. */
export declare const CUT = "\n\n[The rest of this reply was withheld: it held restricted data.]";
/** Stands behind what had left of a text that took too much work to look at. */
export declare const CUT_FOR_WORK = "\n\n[The rest of this reply was withheld: it took too much work to look at.]";
/**
 * A text that leaves piece by piece. Held back is the shortest end that may still become something that may not leave,
 * so that no part of it has left when that is known; however the pieces are cut. The work grows with the text alone:
 * what is held is looked at again only when it has grown by a part of itself, and has a bound, as has the whole.
 */
export declare class OutputStream {
    #private;
    blocked: boolean;
    /** @param found told of everything that was found, once */
    constructor(review: Review, reader: Reader, found?: (finding: Finding) => void);
    /** Characters that were looked at so far. */
    get looked(): number;
    /** @returns what may leave now */
    push(piece: string): string;
    flush(): string;
}
