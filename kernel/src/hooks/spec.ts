declare const ARGS: unique symbol

/**
 * The stage of a tap in a hook; within a stage the order is that of the plan. `seal` runs last and
 * is granted by the preset (`trusted: true`).
 */
export const STAGES = {
  first: -1000,
  guard: -500,
  early: -100,
  normal: 0,
  late: 100,
  last: 1000,
  seal: 10_000,
} as const
export type Stage = keyof typeof STAGES
export interface TapOptions {
  readonly stage?: Stage
  /** ms that a call of this hook may take, where that is more than the hook itself allows. */
  readonly timeoutMs?: number
}

/**
 * - `observe`: taps run synchronously; return values are ignored
 * - `series`: taps run one after another; return values are ignored
 * - `parallel`: taps run at the same time; return values are ignored, all errors are reported
 * - `bail`: the first returned object is the result
 * - `waterfall`, `syncWaterfall`: each tap may return a new value for the next one
 * - `collect`: each tap may return one object; the result is all of them
 */
export type HookKind = SyncKind | 'series' | 'parallel' | 'bail' | 'waterfall'
export type SyncKind = 'observe' | 'syncWaterfall' | 'collect'

export interface HookPolicy<A extends readonly unknown[] = readonly unknown[], R = unknown> {
  /**
   * `fail`: the call returns the error. `skip`: the error is reported, the value stays as it was.
   */
  readonly onError: 'skip' | 'fail'
  /** ms for one call with all its taps; without meaning where taps are synchronous. */
  readonly timeoutMs?: number
  /** A hook for guards: a plugin that taps it may not be `optional`. */
  readonly guards?: true
  /**
   * Returns the reason why a value is not allowed, if any; the error names the tap. Called for the
   * value of each tap.
   */
  check?(value: R, ...args: A): string | undefined
  /**
   * Names the plugin in the value that its tap returned, such as in the parts that it has added.
   */
  attribute?(value: R, plugin: string, ...args: A): R
}

/** A hook without its name. */
export interface HookSpec<
  K extends HookKind = HookKind,
  A extends readonly unknown[] = readonly unknown[],
  R = unknown,
> {
  readonly kind: K
  readonly policy: HookPolicy
  readonly [ARGS]?: { readonly args: A; readonly result: R }
}

/**
 * A hook with its name. Any plugin may publish hooks (`defineHook`); the caller of a hook defines
 * its policy.
 */
export interface HookToken<S extends HookSpec = HookSpec> {
  readonly name: string
  readonly spec: S
}

const spec = <K extends HookKind, A extends readonly unknown[], R>(
  kind: K,
  policy: HookPolicy<A, R>,
): HookSpec<K, A, R> => Object.freeze({ kind, policy: Object.freeze(policy) })

export const observe = <A extends readonly unknown[]>(
  policy: HookPolicy<A, void>,
): HookSpec<'observe', A, void> => spec('observe', policy)
export const series = <A extends readonly unknown[]>(
  policy: HookPolicy<A, void>,
): HookSpec<'series', A, void> => spec('series', policy)
export const parallel = <A extends readonly unknown[]>(
  policy: HookPolicy<A, void>,
): HookSpec<'parallel', A, void> => spec('parallel', policy)
export const bail = <A extends readonly unknown[], R extends object>(
  policy: HookPolicy<A, R>,
): HookSpec<'bail', A, R> => spec('bail', policy)
export const waterfall = <A extends readonly [object, ...unknown[]]>(
  policy: HookPolicy<A, A[0]>,
): HookSpec<'waterfall', A, A[0]> => spec('waterfall', policy)
export const syncWaterfall = <A extends readonly [object, ...unknown[]]>(
  policy: HookPolicy<A, A[0]>,
): HookSpec<'syncWaterfall', A, A[0]> => spec('syncWaterfall', policy)
export const collect = <A extends readonly unknown[], R extends object>(
  policy: HookPolicy<A, R>,
): HookSpec<'collect', A, R> => spec('collect', policy)
