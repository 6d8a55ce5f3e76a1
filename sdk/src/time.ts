import { alarm, deadline } from '@amodal/kernel'

/**
 * A deadline that nobody has to clear, for what is asked now and then: its timer is left to run
 * out, and keeps no process alive. Where many begin in a second, take {@link deadline}.
 *
 * `AbortSignal.timeout` would say neither what was waited for nor for how long, and rings at once
 * in a process that stood still.
 *
 * @param what is waited for, as its `TimeoutError` tells it
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
