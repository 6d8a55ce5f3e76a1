/** A text, and whose it is. */
export interface Source {
    /** The tool it is a result of; what else it is, where it is none. */
    readonly tool: string;
    /** Of the call; empty where there is none. */
    readonly call: string;
    /** Where that call went. */
    readonly connection: string;
    readonly text: string;
}
/**
 * Texts, indexed by their words, so that a question costs what it finds and not what there is. The newest are read as they
 * stand until there are many: most conversations end before. Past `maxChars` the older half is forgotten.
 */
export declare class Corpus {
    #private;
    constructor(maxChars: number);
    get isEmpty(): boolean;
    get newest(): Source | undefined;
    /** @param numbers `false`: what is counted in this text is nobody's amount. */
    add(source: Source, { encoded, numbers }?: {
        encoded?: boolean | undefined;
        numbers?: boolean | undefined;
    }): void;
    /** Where a value stands as it is, in any case and spacing; the newest of them. */
    find(value: string): Source | undefined;
    findNumber(value: number): Source | undefined;
}
