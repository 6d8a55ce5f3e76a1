import type { LanguageModelV4StreamResult, SharedV4Warning } from '@ai-sdk/provider';
export interface ReplyStreamOptions {
    /** As it may be shown. */
    readonly url: string;
    readonly warnings: SharedV4Warning[];
    readonly signal: AbortSignal | undefined;
    /** Hides the values of secrets in a text: endpoints like to repeat the key that they refuse. */
    readonly mask: (text: string) => string;
}
/**
 * The parts of a reply as they are asked for: one stage between the socket and the reader. Reading
 * stops when nobody asks, so back-pressure reaches the endpoint; leaving closes the connection.
 * A connection that breaks becomes an `error` part; only the caller's own abort rejects.
 */
export declare function replyStream(response: Response, { url, warnings, signal, mask }: ReplyStreamOptions): LanguageModelV4StreamResult['stream'];
