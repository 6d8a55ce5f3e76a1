import type { HtmlTag } from './html-tag.ts';
/** Which hosts a text may make its reader's client turn to. */
export interface LinkPolicy {
    /** Hosts that images may be loaded from. */
    readonly loads: (host: string) => boolean;
    /** Hosts that the person or the agent's files have named; left out where that is not known, and links are not judged. */
    readonly knows?: (host: string) => boolean;
}
/**
 * Whether it is sure that a tag neither loads nor runs anything, nor leads to a host that its reader does not see. What is no
 * tag for CommonMark may end elsewhere once Markdown has been read, and is never sure.
 */
export declare function isHarmless({ name, attributes, closed, wellFormed }: HtmlTag, policy: LinkPolicy): boolean;
/** Whether so much of a tag is enough to know that it is not harmless, whatever comes. */
export declare const isRefused: ({ name, wellFormed }: Pick<HtmlTag, 'name' | 'wellFormed'>) => boolean;
