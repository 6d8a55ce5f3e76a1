import { blame } from '../blame.ts'
import { PluginError } from '../errors.ts'
import { err, ok, type Result } from '../result.ts'
import { HookCall } from './call.ts'
import type { HookRunner, Line, Run } from './runner.ts'
import { SYNC_KINDS, type HookSpec } from './spec.ts'
import { STAGES, type Stage } from './stage.ts'
import { changedPaths, snapshot, type ValueChange } from './trace.ts'

/** `ms`: spent in taps, of all calls. `pending`: calls that have not returned yet. */
export interface TapStats { calls: number; errors: number; ms: number; pending: number }

/** A tap as it is recorded: it outlives the hook, so that a reload can put it on the next one. */
export interface Tap {
  readonly plugin: string
  readonly stage: Stage
  readonly stats: TapStats
  fn(...args: readonly unknown[]): unknown
}

/** What a hook tells its generation. */
export interface HookReports {
  readonly failed: (error: PluginError) => void
  /** Present only where values are traced. */
  readonly changed?: (change: ValueChange) => void
}

type Outcome = Result<unknown, PluginError>

const NOTHING: Outcome = ok(undefined)
const NOTHING_LATER = Promise.resolve(NOTHING)
/** Synchronous hooks run per event, so their taps are timed one call in sixteen. */
const SAMPLE = 16

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/**
 * One wired hook: counts, times and checks each tap, and turns whatever goes wrong inside into a
 * {@link PluginError} that names the plugin. `call` never throws.
 */
export class Hook {
  readonly name: string
  readonly spec: HookSpec
  readonly taps: Tap[] = []
  /** Ask this before preparing arguments: an untapped hook costs one comparison. */
  tapped = false
  /** The plugin whose tap runs now; synchronous hooks only. */
  running: string | undefined
  readonly #sync: boolean
  readonly #line: Line
  readonly #reports: HookReports

  constructor(name: string, spec: HookSpec, runner: HookRunner, reports: HookReports) {
    this.name = name
    this.spec = spec
    this.#sync = SYNC_KINDS.has(spec.kind)
    this.#line = runner.line(spec.kind)
    this.#reports = reports
  }

  add(tap: Tap): void {
    this.taps.push(tap)
    this.tapped = true
    this.#line.add(tap.plugin, STAGES[tap.stage], this.#sync ? this.#wrap(tap) : this.#wrapAsync(tap))
  }

  call(first: unknown, ...rest: readonly unknown[]): Outcome | Promise<Outcome> {
    const { kind } = this.spec
    if (this.tapped) return this.#sync ? this.#callSync(first, rest) : this.#callAsync(first, rest)
    switch (kind) {
      case 'syncWaterfall': return ok(first)
      case 'waterfall': return Promise.resolve(ok(first))
      case 'collect': return ok([])
      default: return this.#sync ? NOTHING : NOTHING_LATER
    }
  }

  #callSync(first: unknown, rest: readonly unknown[]): Outcome {
    const { kind } = this.spec
    try {
      const value = kind === 'collect' ? this.#line.run([], [first, ...rest]) : this.#line.run(first, rest)
      return kind === 'observe' ? NOTHING : ok(value)
    } catch (cause) {
      return err(blame('kernel', 'hook', this.name, cause))
    }
  }

  async #callAsync(first: unknown, rest: readonly unknown[]): Promise<Outcome> {
    const call = new HookCall(this.spec.policy.timeoutMs ?? 5_000, rest.at(-1) ?? first)
    try {
      const value = await this.#line.run(first, [...rest, call])
      return call.error === undefined ? ok(value) : err(call.error)
    } catch (cause) {
      return err(blame('kernel', 'hook', this.name, cause))
    } finally {
      call.end()
    }
  }

  #wrap(tap: Tap): Run {
    const { stats } = tap
    const collects = this.spec.kind === 'collect'
    return (first, rest) => {
      const weight = stats.calls++ % SAMPLE > 0 ? 0 : stats.calls === 1 ? 1 : SAMPLE
      const start = weight > 0 ? performance.now() : 0
      const before = this.#reports.changed && snapshot(first)
      const outer = this.running
      this.running = tap.plugin
      try {
        const value = this.#checked(tap, collects ? tap.fn(...rest) : tap.fn(first, ...rest), first, rest)
        this.#trace(tap, before, first, value)
        return collects && value !== undefined ? [...listOf(first), { plugin: tap.plugin, value }] : value
      } catch (cause) {
        return this.#fail(tap, cause)
      } finally {
        this.running = outer
        if (weight > 0) stats.ms += (performance.now() - start) * weight
      }
    }
  }

  #wrapAsync(tap: Tap): Run {
    const { stats } = tap
    const settled = (): void => { stats.pending-- }
    return async (first, rest) => {
      const call = rest.at(-1)
      if (!(call instanceof HookCall) || call.over) return undefined
      stats.calls++
      stats.pending++
      const start = performance.now()
      const before = this.#reports.changed && snapshot(first)
      let waiting: PromiseLike<unknown> | undefined
      try {
        const returned = tap.fn(first, ...rest)
        if (isThenable(returned)) {
          waiting = returned
          // A tap that outlives its deadline stays visible as pending until it does return.
          waiting.then(settled, settled)
        }
        const value = this.#checked(tap, waiting ? await call.within(waiting) : returned, first, rest)
        this.#trace(tap, before, first, value)
        return value
      } catch (cause) {
        return this.#fail(tap, cause, call)
      } finally {
        if (!waiting) settled()
        stats.ms += performance.now() - start
      }
    }
  }

  /** The value a tap may hand on, or a throw that blames it. */
  #checked(tap: Tap, value: unknown, first: unknown, rest: readonly unknown[]): unknown {
    const { kind, policy } = this.spec
    const bad = (reason: string): PluginError => new PluginError(tap.plugin, 'hook', this.name, new Error(reason), 'BAD_VALUE')
    if (value === undefined) return undefined
    if (this.#sync && isThenable(value)) {
      value.then(undefined, () => undefined)
      throw bad('returned a promise, and this hook is synchronous')
    }
    if (kind === 'observe' || kind === 'series' || kind === 'parallel') return undefined
    if (typeof value !== 'object' || value === null) throw bad(`returned ${value === null ? 'null' : typeof value} where an object or undefined is allowed`)
    const reason = kind === 'collect' ? policy.check?.(value, ...rest) : policy.check?.(value, first, ...rest)
    if (reason !== undefined) throw bad(reason)
    return value
  }

  /** Counts and reports; thrown on only where the policy says so. Parallel taps are all heard first. */
  #fail(tap: Tap, cause: unknown, call?: HookCall): undefined {
    tap.stats.errors++
    const error = blame(tap.plugin, 'hook', this.name, cause)
    this.#reports.failed(error)
    if (this.spec.policy.onError === 'skip') return
    if (this.spec.kind !== 'parallel' || !call) throw error
    call.error ??= error
  }

  #trace(tap: Tap, before: unknown, first: unknown, value: unknown): void {
    const { kind } = this.spec
    if (!this.#reports.changed) return
    const answers = kind === 'bail' || kind === 'collect'
    const changed = !answers ? changedPaths(before, value ?? first) : value === undefined ? [] : ['(answered)']
    if (changed.length > 0) this.#reports.changed({ hook: this.name, plugin: tap.plugin, changed })
  }
}
