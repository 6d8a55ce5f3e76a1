import { type Failure, type OutboundResponse, type Result } from '@amodal/sdk';
/**
 * Reads an answer, and stops at the first chunk that is past the limit: more than that is never held.
 *
 * @returns the answer, or `TOO_LARGE`. Rejects where the connection breaks.
 */
export declare function readAnswer(response: Response, url: URL, maxBytes: number): Promise<Result<OutboundResponse, Failure>>;
