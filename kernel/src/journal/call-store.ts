import { failure, type Failure } from '../errors.ts'
import { err, messageOf, type Result } from '../result.ts'
import { deadline, within } from '../time.ts'

/**
 * Calls the session store with a deadline in ms. Where the store throws or hangs, the outcome of
 * the call is unknown.
 */
export async function callStore<T>(
  ms: number,
  call: (signal: AbortSignal) => Promise<Result<T, Failure>>,
  parent?: AbortSignal,
): Promise<Result<T, Failure>> {
  const limit = deadline(parent, ms)
  try {
    return await within(call(limit.signal), limit.signal)
  } catch (cause) {
    return err(failure('STORE_FAILED', messageOf(cause), { details: { connection: true }, cause }))
  } finally {
    limit.clear()
  }
}
