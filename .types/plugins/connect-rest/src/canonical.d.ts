import { type Result } from '@amodal/sdk';
/**
 * Where a request goes, in the one spelling that is judged and sent.
 *
 * `path` begins with the base path. Its segments are decoded once and in NFC; what would be mistaken for a separator
 * stays encoded in capitals (`%2F %5C %3F %23 %3B %25`), so that the path is read in one way only: `encodePath` gives
 * its bytes back. A slash at the end stays, since some servers want it; for matching it does not count.
 */
export interface Target {
    readonly path: string;
    readonly query: string;
}
/**
 * Makes the one spelling of an endpoint, or says why it has none.
 *
 * @param base the connection's address, such as `https://api.example.com/v1`
 * @param endpoint what was asked for: a path below the base, perhaps with a query; or an address on the same origin
 * @returns an error text for whoever asked: another origin, a path that leaves the base in some reading, control and
 *   invisible characters, what is no percent-encoded UTF-8, separators that are encoded twice
 * @example canonicalTarget(new URL('https://api.example.com/v1'), '/deals/%37?x=1') // { path: '/v1/deals/7', query: 'x=1' }
 * @see https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2
 */
export declare function canonicalTarget(base: URL, endpoint: string): Result<Target, string>;
/** The bytes of a canonical path: whoever decodes them once gets its segments. */
export declare function encodePath(path: string): string;
/** A path with its dot segments gone; `undefined` where they lead above the root. */
export declare function resolved(path: string): string | undefined;
/**
 * Every way in which servers might read a canonical path, itself first, dot segments not yet resolved: encoded
 * separators decoded, letters decoded a second time, look-alikes folded, backslashes as slashes, matrix parameters
 * dropped, dots and spaces at the end of a segment dropped. A guard classifies each of them; the strictest counts.
 *
 * @example readingsOf('/v1/admin%2Fusers') // ['/v1/admin%2Fusers', '/v1/admin/users']
 */
export declare function readingsOf(path: string): readonly string[];
