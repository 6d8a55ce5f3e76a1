export interface Passage {
    readonly title: string;
    readonly text: string;
}
export interface Found {
    readonly passage: Passage;
    readonly score: number; /** Share of the subjects it speaks of. */
    readonly covers: number;
}
/**
 * The paragraphs of a text, found by the words of a question.
 *
 * Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
 */
export declare class Passages {
    #private;
    constructor(text: string);
    /** @returns the best passages, best first; none where no subject of the question occurs. */
    find(question: string, limit: number): readonly Found[];
}
