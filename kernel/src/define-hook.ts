import type { HookSpec, HookToken, TapOptions } from './hooks/spec.ts'

/**
 * Publishes a hook of a plugin's own. Others tap it with `k.tap(token, fn)`; the owner calls it
 * with `k.generation().hook(token).call(…)`. Attribution, deadlines and `inspect` are those of the
 * catalogue.
 *
 * @example
 * export const TriggerFired = defineHook(
 *   'alarms.fired',
 *   parallel<[name: string]>({ onError: 'skip', timeoutMs: 5_000 }),
 * )
 */
export function defineHook<S extends HookSpec>(name: string, spec: S): HookToken<S> {
  return Object.freeze({ name, spec })
}

/** The last argument of an asynchronous tap. */
export interface TapContext {
  /** Aborts at the deadline of the hook call, and with the run it belongs to. */
  readonly signal: AbortSignal
}

type Maybe<R> = R | undefined | void

/** What a plugin may tap with. */
export type TapFunction<S extends HookSpec> =
  S extends HookSpec<infer K, infer A, infer R>
    ? K extends 'observe'
      ? (...args: A) => undefined | void
      : K extends 'syncWaterfall' | 'collect'
        ? (...args: A) => Maybe<R>
        : K extends 'series' | 'parallel'
          ? (...args: [...A, TapContext]) => void | Promise<void>
          : (...args: [...A, TapContext]) => Maybe<R> | Promise<Maybe<R>>
    : never

/** A hook as plugins see it. */
export interface Tappable<S extends HookSpec> {
  /** Registers a tap; only inside `setup`. */
  readonly tap: (fn: TapFunction<S>, options?: TapOptions) => void
}
