import { type Caller, type Failure, type Identity, type Result, type Tenancy } from '@amodal/sdk';
export interface TenancyOptions {
    readonly requireScope: boolean;
    readonly default: string;
    readonly known?: readonly string[] | undefined;
    readonly sessions: 'tenant' | 'principal';
}
/** A tenant for each scope. What a credential says wins over what a request asks for. */
export declare class ScopeTenancy implements Tenancy {
    #private;
    constructor(options: TenancyOptions);
    callerOf(identity: Identity, asked: string | undefined): Result<Caller, Failure>;
}
