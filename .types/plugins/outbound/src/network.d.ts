import { type LookupAddress, type LookupAllOptions } from 'node:dns';
import { type AddressKind } from './address-kind.ts';
/** `private`: the agent's own files name the origin, so its host may be on a private network. */
export type Reach = 'public' | 'private';
/** Looks up all addresses of a name, as `dns.lookup` does. */
export type Resolve = (host: string, options: LookupAllOptions, done: (error: Error | null, addresses: LookupAddress[]) => void) => void;
/**
 * Asked in the tick that writes the request, when looking up, connecting and the TLS handshake are over, however long
 * they took. An error that it returns is what the request fails with, and none of its bytes leave.
 */
export type Departing = () => Error | undefined;
/** Connections to checked addresses, and nothing else. */
export interface Network {
    /** Ready to connect: what it gives hands a request over in the tick of its call. */
    open(): Promise<(url: URL, init: RequestInit, reach: Reach, departing: Departing) => Promise<Response>>;
    close(): Promise<void>;
}
/** A host with an address that may not be reached. The address is not told: names of a private network are its own matter. */
export declare class AddressRefused extends Error {
    readonly code = "ADDRESS_REFUSED";
    readonly kind: Exclude<AddressKind, 'public'>;
    constructor(kind: Exclude<AddressKind, 'public'>);
}
/**
 * The network as requests may use it. A name is looked up here, once for each connection; all its addresses are
 * checked, and one of these very addresses is connected to, so that no second answer of a name server counts.
 *
 * @param resolve stands for the system's own lookup
 */
export declare function createNetwork(resolve?: Resolve): Network;
