import { blame } from './blame.ts'
import { Container, type Scope, type Seed } from './container.ts'
import type { Diagnostics } from './diagnostics.ts'
import type { PluginError } from './errors.ts'
import { HookSet, type CallableOf, type Hooks, type HookToken } from './hooks/hooks.ts'
import type { HookRunner } from './hooks/runner.ts'
import type { HookSpec } from './hooks/spec.ts'
import type { Decoration, Instance, Provision } from './instance.ts'
import { problem, type Plan, type PlanProblem } from './plan.ts'
import { holdingLogger, Log, silentLogger, type Logger } from './ports/log.ts'
import { Registries } from './registry.ts'
import type { Registry } from './token.ts'

/** What every generation of a kernel shares. */
export interface Surroundings {
  readonly runner: HookRunner
  readonly services: readonly Seed[]
  readonly diagnostics: Diagnostics
  readonly traceValues: boolean
}

/**
 * One wiring of one plan. It does not change: a reload builds the next one beside it, and this one retires
 * when the last run that holds it ends.
 */
export class Generation {
  readonly id: number
  readonly plan: Plan
  readonly hooks: Hooks
  /** The kernel scope. */
  readonly scope: Scope
  readonly instances: Instance[] = []
  readonly hookSet: HookSet
  readonly registries = new Registries()
  readonly #container: Container
  readonly #decorations = new Map<symbol, Decoration[]>()
  readonly #diagnostics: Diagnostics
  readonly #early = holdingLogger()
  readonly #abort = new AbortController()
  #log: Logger = this.#early.logger
  #held = 0
  #idle: (() => void) | undefined
  #retired = false

  constructor(id: number, plan: Plan, { runner, services, diagnostics, traceValues }: Surroundings) {
    this.id = id
    this.plan = plan
    this.#diagnostics = diagnostics
    this.hookSet = new HookSet(runner, {
      failed: (error) => this.report(error),
      ...(traceValues && { changed: (change) => diagnostics.changed(change) }),
    })
    this.hooks = this.hookSet.hooks
    this.#container = new Container(services)
    this.scope = this.#container.root
  }

  /** No new run begins here. */
  get retired(): boolean { return this.#retired }
  /** Runs that hold it. */
  get held(): number { return this.#held }
  /** Aborts at the drain limit: a run hands over at its last commit and goes on in the next generation. */
  get signal(): AbortSignal { return this.#abort.signal }
  /** The log of this wiring; lines written before it is complete are kept until then. */
  get log(): Logger { return this.#log }

  /** The entries of a registry, in plan order. The same map each time. */
  registry<T>(token: Registry<T>): ReadonlyMap<string, T> {
    return this.registries.view(token)
  }

  /** The plugin that added an entry: it is named when the entry fails. */
  ownerOf(token: Registry<unknown>, key: string): string {
    return this.registries.ownerOf(token, key) ?? 'kernel'
  }

  /** A hook that a plugin publishes. */
  hook<S extends HookSpec>(token: HookToken<S>): CallableOf<S> {
    // The token carries the type of what it names.
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

  /** Puts in place what a plugin contributed: the same for one that was just set up and one that is carried over. */
  adopt(instance: Instance): readonly PlanProblem[] {
    this.instances.push(instance)
    for (const { hook, tap } of instance.taps) this.hookSet.of(hook).add(tap)
    for (const decoration of instance.decorations) this.#decorations.set(decoration.slot.key, [...this.#decorations.get(decoration.slot.key) ?? [], decoration])
    for (const provision of instance.provisions) {
      this.#container.bind({ slot: provision.slot, owner: instance.name, make: (scope) => this.#make(instance, provision, scope) })
    }
    return instance.additions.map((addition) => this.registries.add(instance.name, addition)).filter((found) => found !== undefined)
  }

  /** What the preset demands of the hooks, once all is in place. */
  missingGuards(): readonly PlanProblem[] {
    return Object.entries(this.plan.mustTap).flatMap(([hook, plugins]) => {
      const taps = this.hookSet.all.get(hook)?.taps ?? []
      return plugins.filter((plugin) => !taps.some((tap) => tap.plugin === plugin))
        .map((plugin) => problem('GUARD_MISSING', [plugin], `${plugin} must tap ${hook}, and does not`))
    })
  }

  /** The wiring is complete: from here on the log is the real one. Throws what its factory throws. */
  complete(): void {
    this.#log = this.scope.find(Log) ?? silentLogger
    this.#early.release(this.#log)
  }

  /** From here on this is where its plugins live. */
  settle(): void {
    for (const instance of this.instances) {
      instance.holders++
      instance.home = this
    }
  }

  /** Takes no more runs and waits for those there are; past `drainMs` they are asked to hand over. */
  async drain(drainMs: number, graceMs: number): Promise<void> {
    this.#retired = true
    // Whoever has just been handed this generation acquires it within this turn of the event loop.
    await new Promise((resolve) => { setTimeout(resolve, 0) })
    if (!this.signal.aborted && await this.#emptied(drainMs)) return
    this.#abort.abort(new Error(`generation ${this.id} retires`))
    if (!await this.#emptied(graceMs)) this.#log.warn('generation.left_running', { generation: this.id, runs: this.#held })
  }

  /** Lets go of its plugins; those that no other generation uses are torn down, last first. */
  async release(): Promise<readonly PluginError[]> {
    const errors = [...await this.scope.close()]
    for (const instance of this.instances.toReversed()) if (--instance.holders <= 0) errors.push(...await instance.teardown())
    errors.forEach((error) => this.#diagnostics.failed(error))
    return errors
  }

  report(error: PluginError): void {
    this.#diagnostics.failed(error)
    this.#log.error('plugin.failed', { plugin: error.plugin, phase: error.phase, where: error.where, code: error.code, message: error.message })
    const { failed } = this.hooks.kernel
    if (failed.tapped && error.where !== 'kernel.failed') failed.call(error)
  }

  async #emptied(ms: number): Promise<boolean> {
    if (this.#held === 0) return true
    const idle = Promise.withResolvers<void>()
    this.#idle = idle.resolve
    const timer = setTimeout(idle.resolve, ms)
    await idle.promise
    clearTimeout(timer)
    this.#idle = undefined
    return this.#held === 0
  }

  /** A kernel-scope service is kept with its plugin: made once, and wrapped anew only when its decorators changed. */
  #make(instance: Instance, provision: Provision, scope: Scope): unknown {
    const by = this.#decorations.get(provision.slot.key) ?? []
    if (provision.slot.scope !== 'kernel') return wrap(by, provision.make(scope))
    provision.made ??= { value: provision.make(instance.scope) }
    const { worn } = provision
    if (worn && worn.by.length === by.length && worn.by.every((decoration, index) => decoration === by[index])) return worn.value
    provision.worn = { by, value: wrap(by, provision.made.value) }
    return provision.worn.value
  }
}

function wrap(decorations: readonly Decoration[], service: unknown): unknown {
  return decorations.reduce((inner, decoration) => {
    try {
      return decoration.wrap(inner)
    } catch (cause) {
      throw blame(decoration.plugin, 'provide', `decorator of ${decoration.slot.id}`, cause)
    }
  }, service)
}
