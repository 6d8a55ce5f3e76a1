import type { Span } from './finding.ts';
/** An image or a link in a text, with what may stand there instead. */
export interface Link extends Span {
    readonly url: URL;
    readonly image: boolean;
    readonly instead: string;
}
/**
 * Every address of a text that somebody may follow, or a viewer may load by itself. Each form is read once from left to
 * right, with bounded steps back, so that the work grows with the text and nothing else.
 */
export declare function linksIn(text: string): readonly Link[];
/** Whether an address says more than where something is. */
export declare function carriesData({ url, image }: Link): boolean;
/** Hosts that a text names. */
export declare const hostsIn: (text: string) => readonly string[];
/** A host, or one that stands below it. */
export declare const isBelow: (host: string, known: string) => boolean;
