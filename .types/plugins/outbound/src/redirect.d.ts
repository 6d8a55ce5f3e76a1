import { type Failure, type Result } from '@amodal/sdk';
/** Redirects that are followed before the target counts as broken. */
export declare const MAX_REDIRECTS = 5;
/** Methods that change nothing at the target (RFC 9110, 9.2.1), as far as they are used here. */
export declare function isSafe(method: string): boolean;
export interface Hop {
    readonly url: URL;
    readonly headers: Headers;
}
/**
 * Where a redirect leads. Only safe methods are followed: for any other, the redirect itself is the
 * answer. Across origins every header that could be a credential is left behind, and https never
 * falls back to http.
 *
 * @param permitted whether a URL may be called
 * @returns the next hop, `undefined` where the response is the answer, or `OUTBOUND_REFUSED`.
 */
export declare function nextHop(response: Response, from: Hop, method: string, hops: number, permitted: (url: URL) => Result<URL, Failure>): Result<Hop | undefined, Failure>;
