import { type Authenticator, type Failure, type Identity, type Result } from '@amodal/sdk';
import { type KnownKey } from './api-key.ts';
import { type Credential } from './credential.ts';
import type { KeptKeys } from './kept-keys.ts';
/** What somebody may be known by. */
export interface Known {
    readonly given: ReadonlyMap<string, KnownKey>;
    readonly kept: KeptKeys | undefined;
    /** Whether there are issuers of tokens. */
    readonly issuers: boolean;
    /** Whose a token is; `undefined` where it is not good. */
    readonly identify: (token: string) => Promise<Result<Identity | undefined, Failure>>;
    /** Who it is while there is neither key nor issuer; `undefined`: everybody is let in as one. */
    readonly locally?: (credential: Credential) => Identity;
}
type Said = Result<Identity | undefined, Failure>;
/** Knows people by their keys and tokens. */
export declare class Authentication implements Authenticator {
    #private;
    /** From now on requests are answered. */
    start(known: Known): void;
    configured(): boolean | undefined;
    authenticate({ headers }: Request): Promise<Said>;
}
export {};
