import { alarm, deadline } from '@amodal/kernel'

/**
 * A deadline that need not be cleared, for occasional use: its timer runs out by itself and keeps
 * no process alive. Where many start per second, use {@link deadline}. Unlike
 * `AbortSignal.timeout`, its error names the operation and the duration, and it does not fire at
 * once in a process that was suspended.
 *
 * @param what the operation that is limited, for the message of the `TimeoutError`
 * @example await database.run(LIST, timeLimit(5_000, 'reading the keys', life.signal))
 */
export function timeLimit(ms: number, what: string, parent?: AbortSignal): AbortSignal {
  const { signal } = deadline(undefined, ms, what)
  return parent ? AbortSignal.any([parent, signal]) : signal
}

/** What work comes to, or `undefined` where it takes longer than `ms`: then it goes on unheard. */
export async function atMost<T>(ms: number, work: PromiseLike<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const stop = alarm(Math.max(0, ms), () => late.resolve(undefined))
  try {
    return await Promise.race([work, late.promise])
  } finally {
    stop()
  }
}
