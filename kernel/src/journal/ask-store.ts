import { failure, type Failure } from '../errors.ts'
import { err, messageOf, type Result } from '../result.ts'
import { deadline } from '../time.ts'

/** Waits for work that may not listen to the signal it was given; rejects with its reason. */
export function within<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)))
    const settled = (): void => signal.removeEventListener('abort', stop)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    work.then((value) => { settled(); resolve(value) }, (cause: unknown) => { settled(); reject(cause instanceof Error ? cause : new Error(String(cause))) })
  })
}

/** Asks the session store, with a deadline in ms. A store that throws or hangs has said nothing about what became of it. */
export async function askStore<T>(ms: number, ask: (signal: AbortSignal) => Promise<Result<T, Failure>>, parent?: AbortSignal): Promise<Result<T, Failure>> {
  const limit = deadline(parent, ms)
  try {
    return await within(ask(limit.signal), limit.signal)
  } catch (cause) {
    return err(failure('STORE_FAILED', messageOf(cause), { details: { connection: true }, cause }))
  } finally {
    limit.clear()
  }
}
