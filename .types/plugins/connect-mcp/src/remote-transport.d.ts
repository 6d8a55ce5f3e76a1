import { type FetchLike, type Transport } from '@modelcontextprotocol/client';
export interface RemoteOptions {
    readonly transport: 'sse' | 'http';
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    /** Every request leaves through it. */
    readonly fetch: FetchLike;
}
/** A server behind an address. Redirects are followed inside its origin only, and its headers never leave it. */
export declare function remoteTransport({ transport, url, headers, fetch }: RemoteOptions): Transport;
