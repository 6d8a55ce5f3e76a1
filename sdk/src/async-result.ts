import type { Failure, Result } from '@amodal/kernel'

/** The result of an operation that never rejects. */
export type AsyncResult<T> = Promise<Result<T, Failure>>
