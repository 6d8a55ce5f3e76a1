import { type Failure, type OutboundRequest, type Result } from '@amodal/sdk';
import type { Sending } from './send.ts';
/** What is sent for a request: a key travels as `Idempotency-Key` wherever a repeat would count twice. */
export declare function readRequest(request: OutboundRequest): Result<Sending, Failure>;
/** The arguments of a `fetch` in the same form. */
export declare function readFetch(input: string | URL | Request, init: RequestInit): Sending & {
    readonly address: string | URL;
};
