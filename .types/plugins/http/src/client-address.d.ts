import { BlockList } from 'node:net';
/** Addresses as config names them: one, or a network such as `10.0.0.0/8`. */
export declare function isNetwork(text: string): boolean;
/** Proxies that are ours: what they say of a client is believed. */
export declare function proxiesOf(networks: readonly string[]): BlockList;
/**
 * Where a request came from: the nearest address that is no proxy of ours. Whoever is not one may write into
 * `X-Forwarded-For` what they like, so it is read from its end.
 */
export declare function clientAddress(peer: string, forwarded: string | undefined, proxies: BlockList): string;
