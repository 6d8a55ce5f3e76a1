import { type SentKey } from './api-key.ts';
/** What a request says of who it is from. */
export type Credential = {
    readonly kind: 'none';
} | {
    readonly kind: 'key';
    readonly key: SentKey;
} | {
    readonly kind: 'token';
    readonly token: string;
}
/** Neither, or several that are not the same. */
 | {
    readonly kind: 'bad';
};
/** Reads `Authorization: Bearer` and `X-API-Key`. */
export declare function credentialOf(headers: Headers): Credential;
