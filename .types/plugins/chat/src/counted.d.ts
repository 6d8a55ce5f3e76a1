import type { Caller, RequestLimiter } from '@amodal/sdk';
/** One more message of whoever asks, unless they have sent too many. */
export declare function counted(limiter: RequestLimiter | undefined, caller: Caller, send: () => Promise<Response>): Promise<Response>;
