import { type LinkPolicy } from './tag-rules.ts';
/**
 * Takes from a text what makes its reader's client load something by itself, and shows where links lead. It does not ask
 * what Markdown or HTML would make of the whole: readers differ in that. Each place where one of them could begin
 * something that loads is either sure not to, or made to stand for itself (`! [`, `&lt;`, `\]`). Only blocks of code stay
 * as they are. Goes once from left to right; twice gives the same.
 *
 * Sources: CommonMark 0.31 (images, links, raw HTML, fenced code), the HTML standard (tokenization).
 */
export declare class LinkFilter {
    #private;
    constructor(policy: LinkPolicy);
    /** @returns what may leave now */
    push(piece: string): string;
    flush(): string;
}
/** A text that is whole. */
export declare function filterLinks(text: string, policy: LinkPolicy): string;
