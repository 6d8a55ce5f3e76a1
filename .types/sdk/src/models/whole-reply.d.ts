import type { StreamPart } from '../ports/model.ts';
import { type ErrorPlace } from './call-error.ts';
export interface WholeReplyOptions extends ErrorPlace {
    readonly signal: AbortSignal | undefined;
    /** Of the answer: what came where a stream of events was expected. */
    readonly contentType: string | undefined;
}
/**
 * The parts of one reply, with an end that says how it ended: a stream that stops, breaks or holds an error has an `error`
 * part and finishes with `error`. Calls are held back until the reply has ended well. Leaving it, or aborting, leaves the source.
 */
export declare function wholeReply(source: ReadableStream<StreamPart>, options: WholeReplyOptions): ReadableStream<StreamPart>;
