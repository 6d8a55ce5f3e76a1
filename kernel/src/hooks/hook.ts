import { blame } from '../blame.ts'
import { PluginError } from '../errors.ts'
import { Limit } from '../limit.ts'
import { err, ok, tryAsync, trySync, type Result } from '../result.ts'
import type { HookRunner, Run } from './runner.ts'
import { STAGES, type HookKind, type HookToken, type Stage, type SyncKind } from './spec.ts'

/** `ms`: spent in taps, of all calls. `pending`: calls that have not returned yet. */
export interface TapStats {
  calls: number
  errors: number
  ms: number
  pending: number
}

/** A recorded tap: it outlives the hook, so that a reload can register it on the next one. */
export interface Tap {
  readonly plugin: string
  readonly stage: Stage
  /** ms that it may need; 0: the limit of the hook applies. */
  readonly timeoutMs: number
  readonly stats: TapStats
  fn(...args: readonly unknown[]): unknown
}

/** Wraps taps in order to record how they change values: `traceValues()` of the sdk. */
export interface Tracer {
  readonly changes: readonly {
    readonly hook: string
    readonly plugin: string
    readonly changed: readonly string[]
  }[]
  watch(hook: HookToken, tap: Tap): Tap
}

const SYNC: ReadonlySet<HookKind> = new Set<SyncKind>(['observe', 'syncWaterfall', 'collect'])
/** Synchronous hooks run per event, so their taps are timed one call in sixteen. */
const SAMPLE = 16

/** Counts and times the function of a tap, whether it returns at once or later. */
export function measured(fn: Tap['fn'], stats: TapStats, kind: HookKind): Tap['fn'] {
  const sampled = SYNC.has(kind)
  return (...args) => {
    if (sampled && stats.calls % SAMPLE > 0) {
      stats.calls++
      return fn(...args)
    }
    const weight = !sampled || stats.calls === 0 ? 1 : SAMPLE
    const start = performance.now()
    const end = (): void => {
      stats.pending--
      stats.ms += (performance.now() - start) * weight
    }
    stats.calls++
    stats.pending++
    let returned: unknown
    try {
      returned = fn(...args)
      return returned
    } finally {
      if (isThenable(returned)) returned.then(end, end)
      else end()
    }
  }
}

/** Return values of taps of these kinds are ignored. */
const NOTIFYING: ReadonlySet<HookKind> = new Set<HookKind>(['observe', 'series', 'parallel'])

/** One call of an asynchronous hook, with one deadline for all its taps. */
class Call extends Limit {
  /** The first error of a parallel hook, whose taps all run to their end. */
  error: PluginError | undefined
}

type Outcome = Result<unknown, PluginError>

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  isObject(value) && 'then' in value && typeof value.then === 'function'
const signalOf = (value: unknown): AbortSignal | undefined =>
  isObject(value) && 'signal' in value && value.signal instanceof AbortSignal
    ? value.signal
    : undefined

/**
 * One wired hook: checks the value of each tap, and turns every failure inside into a {@link
 * PluginError} that names the plugin. `call` never throws.
 */
export class Hook {
  readonly name: string
  readonly spec: HookToken['spec']
  /** In the order in which they run. */
  readonly taps: Tap[] = []
  /** The plugin whose tap runs now; synchronous hooks only. */
  running: string | undefined
  readonly #sync: boolean
  /** ms for a call with all its taps: the most that one of them needs. */
  #timeoutMs: number
  readonly #runner: HookRunner
  readonly #failed: (error: PluginError) => void
  readonly #blamed = (cause: unknown): PluginError => blame('kernel', 'hook', this.name, cause)
  /** All taps as one function; rebuilt when a tap is added. */
  #run: Run | undefined

  constructor({ name, spec }: HookToken, runner: HookRunner, failed: (error: PluginError) => void) {
    this.name = name
    this.spec = spec
    this.#sync = SYNC.has(spec.kind)
    this.#timeoutMs = spec.policy.timeoutMs ?? 5_000
    this.#runner = runner
    this.#failed = failed
  }

  /** Ask this before preparing arguments: an untapped hook costs one comparison. */
  get tapped(): boolean {
    return this.taps.length > 0
  }

  add(tap: Tap): void {
    this.taps.push(tap)
    this.#timeoutMs = Math.max(this.#timeoutMs, tap.timeoutMs)
    this.taps.sort((a, b) => STAGES[a.stage] - STAGES[b.stage])
    this.#run = undefined
  }

  call(first: unknown, ...rest: readonly unknown[]): Outcome | Promise<Outcome> {
    if (this.tapped) return this.#sync ? this.#callSync(first, rest) : this.#callAsync(first, rest)
    const untouched = ok(this.#result(this.#untouched(first)))
    return this.#sync ? untouched : Promise.resolve(untouched)
  }

  /** The result of a call without taps. */
  #untouched(first: unknown): unknown {
    if (this.spec.kind === 'collect') return []
    return this.spec.kind === 'bail' ? undefined : first
  }

  #callSync(first: unknown, rest: readonly unknown[]): Outcome {
    const run = this.#joined()
    return trySync(
      () =>
        this.#result(this.spec.kind === 'collect' ? run([], [first, ...rest]) : run(first, rest)),
      this.#blamed,
    )
  }

  async #callAsync(first: unknown, rest: readonly unknown[]): Promise<Outcome> {
    // Where the last argument has a signal (the context of a run), taps see that one too.
    const call = new Call(this.#timeoutMs, signalOf(rest.at(-1) ?? first))
    const done = await tryAsync(
      async () => this.#result(await this.#joined()(first, [...rest, call])),
      this.#blamed,
    )
    call.end()
    return call.error ? err(call.error) : done
  }

  /** The result of a call: `undefined` for kinds that ignore return values. */
  #result(value: unknown): unknown {
    return NOTIFYING.has(this.spec.kind) ? undefined : value
  }

  #joined(): Run {
    this.#run ??= this.#runner.join[this.spec.kind](
      this.taps.map((tap) => (this.#sync ? this.#wrap(tap) : this.#wrapAsync(tap))),
    )
    return this.#run
  }

  #wrap(tap: Tap): Run {
    const { plugin } = tap
    const collects = this.spec.kind === 'collect'
    return (first, rest) => {
      const outer = this.running
      this.running = plugin
      try {
        if (!collects) return this.#checked(plugin, tap.fn(first, ...rest), first, rest)
        const [given, ...others] = rest
        const value = this.#checked(plugin, tap.fn(...rest), given, others)
        return value ? [...listOf(first), { plugin, value }] : value
      } catch (cause) {
        return this.#fail(tap, cause)
      } finally {
        this.running = outer
      }
    }
  }

  #wrapAsync(tap: Tap): Run {
    return async (first, rest) => {
      const call = rest.at(-1)
      // Past the deadline no further tap is begun.
      if (!(call instanceof Call) || call.over) return undefined
      try {
        const returned = tap.fn(first, ...rest)
        return this.#checked(
          tap.plugin,
          isThenable(returned) ? await call.within(returned) : returned,
          first,
          rest,
        )
      } catch (cause) {
        return this.#fail(tap, cause, call)
      }
    }
  }

  /** The checked value of a tap; throws an error that names the tap. */
  #checked(
    plugin: string,
    value: unknown,
    first: unknown,
    rest: readonly unknown[],
  ): object | undefined {
    if (value === undefined) return undefined
    const bad = (reason: string): PluginError =>
      new PluginError(plugin, 'hook', this.name, new Error(reason), 'BAD_VALUE')
    if (this.#sync && isThenable(value))
      throw bad('returned a promise, and this hook is synchronous')
    if (NOTIFYING.has(this.spec.kind)) return undefined
    if (!isObject(value))
      throw bad(
        `returned ${value === null ? 'null' : typeof value} where an object or undefined is allowed`,
      )
    const reason = this.spec.policy.check?.(value, first, ...rest)
    if (reason !== undefined) throw bad(reason)
    const named = this.spec.policy.attribute?.(value, plugin, first, ...rest)
    return isObject(named) ? named : value
  }

  /**
   * Counts and reports the error; it is thrown only if the policy is `fail`. Parallel taps all run
   * to their end first.
   */
  #fail(tap: Tap, cause: unknown, call?: Call): undefined {
    const error = blame(tap.plugin, 'hook', this.name, cause)
    tap.stats.errors++
    this.#failed(error)
    if (this.spec.policy.onError === 'skip') return
    if (this.spec.kind !== 'parallel' || !call) throw error
    call.error ??= error
  }
}
