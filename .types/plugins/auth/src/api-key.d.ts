import { type Identity } from '@amodal/sdk';
/** A key as it is known here: its secret is not. */
export interface KnownKey {
    readonly id: string;
    /** HMAC-SHA-256 of the secret. */
    readonly digest: Uint8Array;
    readonly name: string;
    readonly roles: readonly string[];
    readonly scopes: readonly string[];
    readonly tenant?: string;
    /** ms since the epoch. */
    readonly expiresAt?: number;
    readonly revoked: boolean;
}
/** A key as it is sent. */
export interface SentKey {
    readonly id: string;
    readonly secret: string;
}
/** `amodal_<id>_<secret>`: 60 bits to be found by, 256 to be let in by. */
export declare function makeKey(): SentKey & {
    readonly text: string;
};
export declare function parseKey(text: string): SentKey | undefined;
/** Keyed with the id, so that a digest that was copied to another key opens nothing. The secret is random, so it needs no slow hash. */
export declare const digestOf: ({ id, secret }: SentKey) => Uint8Array;
/** Whether it is the key that is known, and still counts. The same work whatever is wrong with it. */
export declare function isGood(sent: SentKey, known: KnownKey | undefined, now: number): boolean;
/** Stands for a key that is none, so that it costs what a good one does. */
export declare const NO_KEY: SentKey;
export declare const identityOf: ({ id, name, roles, scopes, tenant }: KnownKey) => Identity;
