import { blame } from './blame.ts'
import { ServiceScope, type Binding, type Scope, type Seed } from './container.ts'
import type { PluginError } from './errors.ts'
import type { Tap, Tracer } from './hooks/hook.ts'
import { HookSet, type CallableOf, type Hooks } from './hooks/hooks.ts'
import type { HookRunner } from './hooks/runner.ts'
import type { HookSpec, HookToken } from './hooks/spec.ts'
import type { Instance, Wiring } from './instance.ts'
import { problem, type Plan, type PlanProblem } from './plan.ts'
import { holdingLogger, Log, silentLogger, type Logger } from './ports/log.ts'
import { Entries } from './registry.ts'
import { sleep } from './time.ts'
import type { Registry, Slot } from './token.ts'

/** What every generation of a kernel shares. */
export interface Surroundings {
  readonly runner: HookRunner
  readonly services: readonly Seed[]
  readonly tracer: Tracer | undefined
  /** Records a failure for inspection. */
  readonly record: (error: PluginError) => void
}

/**
 * One wiring of one plan. It does not change: a reload builds the next one next to it, and this one
 * retires when the last turn that holds it ends.
 */
export class WiredGeneration implements Wiring {
  readonly id: number
  readonly plan: Plan
  readonly hooks: Hooks
  /** The kernel scope. */
  readonly scope: ServiceScope
  readonly instances: Instance[] = []
  readonly hookSet: HookSet
  readonly registries = new Map<symbol, Entries>()
  readonly #around: Surroundings
  readonly #bindings = new Map<symbol, Binding>()
  readonly #early = holdingLogger()
  readonly #abort = new AbortController()
  #log: Logger = this.#early.logger
  #held = 0
  #idle: (() => void) | undefined

  constructor(id: number, plan: Plan, around: Surroundings) {
    this.id = id
    this.plan = plan
    this.#around = around
    this.hookSet = new HookSet(around.runner, (error) => this.report(error))
    this.hooks = this.hookSet.hooks
    this.scope = new ServiceScope('kernel', this.#bindings, around.services)
  }

  /** Turns that hold it. */
  get held(): number {
    return this.#held
  }
  /**
   * Aborts before its plugins are torn down: no run begins, and a run in progress hands over at its
   * last commit.
   */
  get signal(): AbortSignal {
    return this.#abort.signal
  }
  /** The log of this wiring; lines written before it is complete are buffered until then. */
  get log(): Logger {
    return this.#log
  }

  /** The entries of a registry, in plan order. The same map each time. */
  registry<T>(token: Registry<T>): ReadonlyMap<string, T> {
    // Entries are typed by their token where they are added.
    return this.entries(token).values as ReadonlyMap<string, unknown> as ReadonlyMap<string, T>
  }

  /** The plugin that added an entry: it is named when the entry fails. */
  ownerOf(token: Registry<unknown>, key: string): string {
    return this.entries(token).owners.get(key)?.plugin ?? 'kernel'
  }

  entries({ id, key }: Registry<unknown>): Entries {
    const entries = this.registries.get(key) ?? new Entries(id)
    this.registries.set(key, entries)
    return entries
  }

  /** A hook that a plugin publishes. */
  hook<S extends HookSpec>(token: HookToken<S>): CallableOf<S> {
    // The token carries the type of the hook.
    return this.hookSet.of(token) as unknown as CallableOf<S>
  }

  /** Keeps this wiring alive until the returned function is called. */
  acquire(): () => void {
    this.#held++
    let released = false
    return () => {
      if (released) return
      released = true
      if (--this.#held === 0) this.#idle?.()
    }
  }

  /**
   * Applies the contributions of a plugin, in the same way whether it was just set up or carried
   * over.
   */
  adopt(instance: Instance): readonly PlanProblem[] {
    this.instances.push(instance)
    return [
      ...instance.problems,
      ...instance.contributions.flatMap((contribute) => contribute(this) ?? []),
    ]
  }

  tap(hook: HookToken, tap: Tap): void {
    this.hookSet.of(hook).add(this.#around.tracer?.watch(hook, tap) ?? tap)
  }

  bind(binding: Binding): void {
    this.#bindings.set(binding.slot.key, binding)
  }

  /** Wraps the current service of a slot in a decorator. */
  wrap(slot: Slot<unknown>, plugin: string, around: (inner: unknown) => unknown): void {
    const inner = this.#bindings.get(slot.key)
    const make = (scope: Scope): unknown => {
      const service = inner?.make(scope)
      try {
        return around(service)
      } catch (cause) {
        throw blame(plugin, 'provide', `decorator of ${slot.id}`, cause)
      }
    }
    if (inner) this.bind({ ...inner, make })
  }

  /** Checks the taps that the preset requires, once all plugins are applied. */
  missingGuards(): readonly PlanProblem[] {
    return Object.entries(this.plan.mustTap).flatMap(([hook, plugins]) => {
      const tapping = this.hookSet.all.get(hook)?.taps.map(({ plugin }) => plugin) ?? []
      const missing = plugins.filter((plugin) => !tapping.includes(plugin))
      return missing.map((plugin) =>
        problem('GUARD_MISSING', [plugin], `${plugin} must tap ${hook}, and does not`),
      )
    })
  }

  /**
   * The wiring is complete: from here on lines go to the log of its plugins. Throws the error of
   * its factory.
   */
  complete(): void {
    this.#log = this.scope.find(Log) ?? silentLogger
    this.#early.release(this.#log)
  }

  /** Makes this the current generation of its plugins, and raises their reference counts. */
  attach(): void {
    for (const instance of this.instances) {
      instance.referenceCount++
      instance.home = this
    }
  }

  /**
   * Waits for its turns; past `drainMs` a handover is requested. Then the services of its idle
   * sessions are closed, while all plugins are still running.
   */
  async drain(drainMs: number, graceMs: number): Promise<void> {
    // A caller that just received this generation acquires it before the event loop goes on.
    await sleep(0)
    if (!this.signal.aborted) await this.#waitForRuns(drainMs)
    this.#abort.abort(new Error(`generation ${this.id} retires`))
    if (!(await this.#waitForRuns(graceMs)))
      this.#log.warn('generation.left_running', { generation: this.id, runs: this.#held })
    for (const error of await this.scope.closeBelow()) this.report(error)
  }

  /** Releases its plugins; those that no other generation uses are torn down in reverse order. */
  async release(): Promise<readonly PluginError[]> {
    const errors = [...(await this.scope.close())]
    for (const instance of this.instances.toReversed())
      if (--instance.referenceCount <= 0) errors.push(...(await instance.teardown()))
    errors.forEach(this.#around.record)
    return errors
  }

  report(error: PluginError): void {
    const { plugin, phase, where, code, message } = error
    const { failed } = this.hooks.kernel
    this.#around.record(error)
    this.#log.error('plugin.failed', { plugin, phase, where, code, message })
    if (failed.tapped && where !== 'kernel.failed') failed.call(error)
  }

  async #waitForRuns(ms: number): Promise<boolean> {
    if (this.#held === 0) return true
    const idle = new AbortController()
    this.#idle = () => idle.abort()
    await sleep(ms, idle.signal)
    return this.#held === 0
  }
}
