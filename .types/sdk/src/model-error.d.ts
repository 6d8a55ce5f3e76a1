import type { Failure } from '@amodal/kernel';
/** What a model's failure means for what to try next. */
export type ModelErrorClass = 'auth' | 'rate_limit' | 'billing' | 'timeout' | 'server' | 'overflow' | 'quota' | 'content' | 'unknown';
export interface ModelError {
    readonly class: ModelErrorClass;
    readonly status?: number;
    /** ms that the provider asks to wait. */
    readonly retryAfterMs?: number;
}
/**
 * What a failure of a model call means, thrown or in the stream, in the words of any provider. It reads statuses,
 * error codes and messages along the chain of causes.
 *
 * @example
 * modelErrorOf(failure('MODEL_FAILED', 'm: 429 Too Many Requests')) // { class: 'rate_limit' }
 */
export declare function modelErrorOf(failed: Failure): ModelError;
