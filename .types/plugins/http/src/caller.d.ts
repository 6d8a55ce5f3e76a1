import { type Caller, type Failure, type Identity, type Result, type Tenancy } from '@amodal/sdk';
/**
 * Who a request acts for. Its scope may stand in the body, in `?scope_id` and in `X-Scope-Id`; where it stands in
 * several places, it must be the same, or a proxy and the agent could each mean another one.
 */
export declare function callerOf(request: Request, identity: Identity | undefined, inBody: string | null | undefined, tenancy?: Tenancy): Result<Caller, Failure>;
