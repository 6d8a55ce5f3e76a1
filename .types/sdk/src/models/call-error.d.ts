import { APICallError } from '@ai-sdk/provider';
/** Where an error came from, as it may be shown, and what takes secrets out of it. */
export interface ErrorPlace {
    readonly url: string;
    readonly mask: (text: string) => string;
}
/** A connection that could not be made, or broke. */
export declare function callError(cause: unknown, url: string): APICallError;
/** A reply that is none. With `isRetryable`, one that was cut short. */
export declare function replyError(message: string, url: string, isRetryable?: boolean): Error;
/**
 * An error of the AI SDK as it may be logged: its status, its headers (`retry-after`) and what the endpoint said,
 * without the prompt that the SDK keeps with it, and without secrets.
 *
 * @param hint what to do about it, by the status
 */
export declare function shownError(cause: unknown, { url, mask }: ErrorPlace, hint?: (status: number) => string | undefined): Error;
/** The same for what stands in a stream: an error of the SDK's, or what the endpoint sent in place of a part. */
export declare function streamError(cause: unknown, place: ErrorPlace): Error;
