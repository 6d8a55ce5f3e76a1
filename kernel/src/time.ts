import { slot } from './token.ts'

/** Time as a service, so that tests can set the clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds that never go back, for deadlines. */
  monotonic(): number
}

/** Provided by the kernel itself. */
export const Clock = slot.kernel<Clock>('clock')

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

/**
 * A timer that is this many ms late means that the process was suspended, such as on a sleeping
 * laptop.
 */
const STOOD_STILL_MS = 1_000
/** Data that arrived meanwhile waits in sockets and is read first. */
const CATCH_UP_MS = 1_000

/**
 * Calls `ring` after `ms` milliseconds, or shortly later if the process was suspended. Returns a
 * function that clears the timer.
 */
export function alarm(ms: number, ring: () => void): () => void {
  const due = performance.now() + ms
  const set = (wait: number, end: () => void): ReturnType<typeof setTimeout> => {
    const timeout = setTimeout(end, wait)
    timeout.unref?.()
    return timeout
  }
  let timer = set(ms, () => {
    if (performance.now() - due < STOOD_STILL_MS) ring()
    else timer = set(Math.min(ms, CATCH_UP_MS), ring)
  })
  return () => clearTimeout(timer)
}

/**
 * Calls `listener` when `signal` aborts, at once if it already has.
 *
 * @returns a function that removes the listener; call it when the work ends before the signal
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) listener()
  else signal?.addEventListener('abort', listener, { once: true })
  return () => signal?.removeEventListener('abort', listener)
}

/**
 * A deadline that is also cancelled by its parent; `clear` must be called when the work is over.
 */
export interface Deadline {
  readonly signal: AbortSignal
  readonly clear: () => void
}

/**
 * Makes a signal that aborts after `ms` milliseconds with a `TimeoutError`, or when `parent`
 * aborts.
 *
 * @param what the work, for the message of the `TimeoutError`: `reading the keys`
 * @example
 * const limit = deadline(run.signal, 5_000)
 * try { await fetch(url, { signal: limit.signal }) } finally { limit.clear() }
 */
export function deadline(parent: AbortSignal | undefined, ms: number, what?: string): Deadline {
  const controller = new AbortController()
  const message =
    what === undefined ? `timed out after ${ms} ms` : `${what} took longer than ${ms} ms`
  const stop = alarm(ms, () => controller.abort(new DOMException(message, 'TimeoutError')))
  const leave = onAbort(parent, () => controller.abort(parent?.reason))
  return {
    signal: controller.signal,
    clear: () => {
      stop()
      leave()
    },
  }
}

/** Waits for work that may not listen to the signal it was given; rejects with its reason. */
export function within<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = onAbort(signal, () => reject(errorOf(signal.reason)))
    work.then(
      (value) => {
        leave()
        resolve(value)
      },
      (cause: unknown) => {
        leave()
        reject(errorOf(cause))
      },
    )
  })
}

/** Waits `ms` milliseconds, or less when `signal` aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      leave()
      resolve()
    }, ms)
    const leave = onAbort(signal, () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

const errorOf = (cause: unknown): Error =>
  cause instanceof Error ? cause : new Error(String(cause))
