import { TimedOut } from '../blame.ts'
import type { PluginError } from '../errors.ts'
import type { TapContext } from './spec.ts'

const signalOf = (subject: unknown): AbortSignal | undefined =>
  typeof subject === 'object' && subject !== null && 'signal' in subject && subject.signal instanceof AbortSignal ? subject.signal : undefined

/**
 * One call of an asynchronous hook: one deadline for all its taps, set up only once a tap really waits.
 * Its timer keeps the process alive until `end`: a hung tap must be named, not leave a silent exit.
 */
export class HookCall implements TapContext {
  /** The first error of a parallel hook, whose taps are all heard. */
  error: PluginError | undefined
  /** `true` past the deadline: no further tap is begun. */
  over = false
  readonly #timeoutMs: number
  readonly #parent: AbortSignal | undefined
  readonly #start = performance.now()
  readonly #follow = (): void => this.#controller?.abort(this.#parent?.reason)
  #controller: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #expired: Promise<never> | undefined

  /** `subject` is the last argument of the call: where it has a signal (the context of a run), taps see that one too. */
  constructor(timeoutMs: number, subject: unknown) {
    this.#timeoutMs = timeoutMs
    this.#parent = signalOf(subject)
  }

  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal
    this.#controller = new AbortController()
    if (this.#parent?.aborted) this.#follow()
    else this.#parent?.addEventListener('abort', this.#follow, { once: true })
    return this.#controller.signal
  }

  /** Waits for a tap, at most until the deadline. */
  within<T>(returned: PromiseLike<T>): Promise<T> {
    this.#expired ??= this.#expiry()
    return Promise.race([returned, this.#expired])
  }

  #expiry(): Promise<never> {
    const left = Math.max(0, this.#timeoutMs - (performance.now() - this.#start))
    const expired = Promise.withResolvers<never>()
    expired.promise.catch(() => undefined)
    this.#timer = setTimeout(() => {
      this.over = true
      const timeout = new TimedOut(this.#timeoutMs)
      expired.reject(timeout)
      this.#controller?.abort(timeout)
    }, left)
    return expired.promise
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#parent?.removeEventListener('abort', this.#follow)
  }
}
