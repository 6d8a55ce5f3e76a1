import type { Json } from '@amodal/sdk';
import type { Finding, Reader, Review } from './review.ts';
/** What of a text may leave. */
export declare function cleanText(text: string, review: Review, reader: Reader): string;
/** The same for a text that a client may show as Markdown or HTML. */
export declare function readableText(text: string, review: Review, reader: Reader): string;
/** The same for each text and number of a value. What a field is called says what its value is. */
export declare function cleanValue<T extends Json>(value: T, review: Review, reader: Reader): T;
/** Findings of a text in a field, as places in the text itself. */
export declare function findingsIn(text: string, name: string, review: Review, reader: Reader): readonly Finding[];
/** Known values give way to their handles, which may be used and not be seen; everything else stays for the guard to judge. */
export declare function withHandles(value: Json, review: Review, reader: Reader): Json;
