import { type Failure, type Logger, type Outbound, type Result } from '@amodal/sdk';
import { type CryptoKey, type FlattenedJWSInput, type JWTHeaderParameters } from 'jose';
export interface KeySetOptions {
    readonly url: string;
    /** ms after which keys are asked for again, in the background. */
    readonly refreshMs: number;
    /** ms for which known keys count while the issuer cannot be reached. */
    readonly keepMs: number;
}
/**
 * The public keys of an issuer. Known ones go on counting while it cannot be reached; one that is not known is asked
 * for once, and is no good if it is not there: whoever makes up ids of keys makes nobody wait, nor the issuer work.
 */
export declare class KeySet {
    #private;
    constructor(options: KeySetOptions, outbound: Outbound, log: Logger);
    /** What is needed before a token can be looked at: keys that count. */
    ready(): Promise<Result<void, Failure>>;
    /** The key that a token says it is signed with; throws where there is none. For `jwtVerify`, after `ready`. */
    readonly keyOf: (header: JWTHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;
}
