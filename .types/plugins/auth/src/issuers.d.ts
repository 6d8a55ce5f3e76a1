import { type Failure, type Identity, type Logger, type Outbound, type Result } from '@amodal/sdk';
import type { IssuerConfig } from './config.ts';
/** Says whose a token is. Loaded only where there is an issuer. */
export declare class Issuers {
    #private;
    constructor(configs: readonly IssuerConfig[], outbound: Outbound, log: Logger);
    /** `undefined` for a token that is not good; an `Err` where that cannot be said now. */
    identify(token: string): Promise<Result<Identity | undefined, Failure>>;
}
