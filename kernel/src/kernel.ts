import { assemble, carryOver, withDependants } from './assemble.ts'
import { ScopeError, type Scope, type Seed } from './container.ts'
import type { PluginError } from './errors.ts'
import type { WiredGeneration, Surroundings } from './generation.ts'
import type { Tracer } from './hooks/hook.ts'
import { chooseRunner, type HookRunner } from './hooks/runner.ts'
import { Inspector, type KernelFacts, type RecordedError } from './inspector.ts'
import { problem, type KernelError, type Plan, type PlanOptions } from './plan.ts'
import type { Entry, Generation, Plugin } from './plugin.ts'
import { resolvePlan } from './resolve-plan.ts'
import { err, ok, type Result } from './result.ts'
import { Clock, systemClock } from './time.ts'

export interface KernelOptions extends Omit<PlanOptions, 'given'> {
  readonly clock?: Clock
  /** How taps run; default: `plain` where code generation is refused, otherwise `tapable`. */
  readonly runner?: HookRunner['name']
  /** Records how taps change values: `traceValues()` of the sdk. */
  readonly trace?: Tracer
  /**
   * Plugins that are booted; default: all. The others are set up and wired, so that their
   * contributions exist: a command that boots nothing passes an empty list.
   */
  readonly boots?: readonly string[]
  /** Slots that the kernel itself fills. */
  readonly services?: readonly Seed[]
  /** ms that a retiring generation waits for its runs before it requests a handover. */
  readonly drainMs?: number
  /** ms that its runs have for the handover. */
  readonly graceMs?: number
}

export interface Reloaded {
  readonly generation: WiredGeneration
  /** Plugins that were carried over unchanged. */
  readonly carried: readonly string[]
  /** Resolves when the old generation is torn down, with the errors of its teardowns. */
  readonly retired: Promise<readonly PluginError[]>
}

interface Dropped {
  readonly names: readonly string[]
  readonly error: PluginError
}

const MOST_ERRORS = 50

/** Plugins, wired and running. Two kernels in one process share no state. */
export class Kernel implements Inspector {
  readonly #options: KernelOptions
  readonly #around: Surroundings
  readonly #errors: RecordedError[] = []
  readonly #retiring = new Set<Promise<readonly PluginError[]>>()
  #now: WiredGeneration | undefined
  /** Reloads run one after another. */
  #changes: Promise<unknown> = Promise.resolve()
  #drained: Promise<void> | undefined
  #closing: Promise<readonly PluginError[]> | undefined

  private constructor(options: KernelOptions) {
    const { clock = systemClock, services = [], runner, trace } = options
    const record = ({ plugin, phase, where, code, message }: PluginError): void => {
      this.#errors.push({ at: clock.now(), plugin, phase, where, code, message })
      if (this.#errors.length > MOST_ERRORS) this.#errors.shift()
    }
    this.#options = options
    this.#around = {
      runner: chooseRunner(runner),
      services: [[Clock, clock], [Inspector, { facts: () => this.facts() }], ...services],
      tracer: trace,
      record,
    }
  }

  /**
   * Plans, sets up and boots.
   *
   * @example
   * const created = await Kernel.create([use(clock), use(memory, { maxEntries: 20 })])
   * if (!created.ok) throw new Error(explain(created.error))
   * const kernel = created.value
   */
  static async create(
    entries: readonly Entry[],
    options: KernelOptions = {},
  ): Promise<Result<Kernel, KernelError>> {
    const kernel = new Kernel(options)
    const started = await kernel.#start(undefined, entries)
    if (!started.ok) return started
    kernel.#activate(started.value)
    return ok(kernel)
  }

  /** The generation of new runs. */
  current(): Generation {
    return this.#current()
  }

  #current(): WiredGeneration {
    if (this.#now) return this.#now
    throw new ScopeError('KERNEL_STARTING', 'the kernel is still being made')
  }

  /** The kernel scope of the current generation. */
  get scope(): Scope {
    return this.current().scope
  }

  get closed(): boolean {
    return this.#closing !== undefined
  }

  facts(): KernelFacts {
    const { runner, services, tracer } = this.#around
    return {
      generation: this.#current(),
      runner: runner.name,
      services,
      errors: this.#errors,
      changes: tracer?.changes ?? [],
      env: this.#options.env ?? {},
    }
  }

  /**
   * Builds the next generation next to this one, swaps them, then retires the old one. On any
   * failure the running generation stays.
   */
  reload(entries: readonly Entry[]): Promise<Result<Reloaded, KernelError>> {
    const change = this.#changes.then(() => this.#reload(entries))
    this.#changes = change.catch(() => undefined)
    return change
  }

  /** Calls `kernel.drain`: plugins stop accepting work. */
  drain(reason: string): Promise<void> {
    this.#drained ??= this.#current()
      .hooks.kernel.drain.call(reason)
      .then(() => undefined)
    return this.#drained
  }

  /** Drains, waits for runs, and tears everything down in reverse order. Returns all errors. */
  close(reason = 'close'): Promise<readonly PluginError[]> {
    this.#closing ??= this.#close(reason)
    return this.#closing
  }

  async #close(reason: string): Promise<readonly PluginError[]> {
    await this.#changes
    await this.drain(reason)
    void this.#retire(this.#current())
    const errors = await Promise.all(this.#retiring)
    return [...new Set(errors.flat())]
  }

  #plan(entries: readonly Entry[]): Result<Plan, KernelError> {
    const planned = resolvePlan(entries, {
      ...this.#options,
      given: this.#around.services.map(([slot]) => slot),
    })
    return planned.ok ? planned : err({ kind: 'plan', problems: planned.error })
  }

  /**
   * Plans and assembles. An optional plugin that fails is removed together with its dependants,
   * and the start is retried.
   */
  async #start(
    old: WiredGeneration | undefined,
    entries: readonly Entry[],
    dropped: readonly Dropped[] = [],
  ): Promise<Result<WiredGeneration, KernelError>> {
    const planned = this.#plan(entries)
    if (!planned.ok) return dropped[0] ? err({ kind: 'plugin', error: dropped[0].error }) : planned
    const assembled = await assemble(old, planned.value, this.#around, this.#options.boots)
    if (assembled.ok) {
      for (const warning of planned.value.warnings)
        assembled.value.log.warn('kernel.unsafe', { message: warning })
      for (const { names, error } of dropped)
        assembled.value.log.warn('kernel.dropped', { plugins: names, because: error.message })
      return assembled
    }
    if (assembled.error.kind === 'plan') return assembled
    const { error } = assembled.error
    const failed = planned.value.plugins.find(({ name }) => name === error.plugin)
    if (failed?.options.optional !== true) return assembled
    const names = [...withDependants(planned.value, [failed.name])]
    return this.#start(
      old,
      [...entries, ...names.map((name): Entry => ({ kind: 'without', name, unsafe: false }))],
      [...dropped, { names, error }],
    )
  }

  async #reload(entries: readonly Entry[]): Promise<Result<Reloaded, KernelError>> {
    if (this.closed)
      return err({ kind: 'plan', problems: [problem('KERNEL_CLOSED', [], 'the kernel is closed')] })
    const old = this.#current()
    const planned = this.#plan(entries)
    if (!planned.ok) return planned
    const carried = carryOver(old, planned.value)
    const leaving = (mode: Plugin['reload']): readonly string[] =>
      old.instances
        .filter(({ name, planned: { plugin } }) => plugin.reload === mode && !carried.has(name))
        .map(({ name }) => name)
    const stuck = leaving('restart').map((name) =>
      problem(
        'RESTART_NEEDED',
        [name],
        `${name} changed and cannot be replaced in a running process`,
      ),
    )
    if (stuck.length > 0) return err({ kind: 'plan', problems: stuck })

    const exclusive = leaving('exclusive')
    const next =
      exclusive.length > 0
        ? await this.#replaceExclusive(old, entries, exclusive)
        : await this.#start(old, entries)
    if (!next.ok) return next
    const { id, instances, log } = this.#activate(next.value)
    const same = instances
      .filter((instance) => old.instances.includes(instance))
      .map(({ name }) => name)
    log.info('kernel.reloaded', { generation: id, carried: same.length, plugins: instances.length })
    return ok({ generation: next.value, carried: same, retired: this.#retire(old) })
  }

  /**
   * Replaces plugins that own an exclusive resource, such as a folder or a port: the old plugin and
   * its dependants are torn down first, and are restored if the new wiring fails. Meanwhile no run
   * begins: the signal of the current generation is aborted.
   */
  async #replaceExclusive(
    old: WiredGeneration,
    entries: readonly Entry[],
    exclusive: readonly string[],
  ): Promise<Result<WiredGeneration, KernelError>> {
    await this.#waitForRuns(old)
    const torn = withDependants(old.plan, exclusive)
    for (const instance of old.instances.toReversed()) {
      if (torn.has(instance.name)) (await instance.teardown()).forEach(this.#around.record)
    }
    const next = await this.#start(old, entries)
    const restored = next.ok ? next : await assemble(old, old.plan, this.#around)
    if (!restored.ok) return restored
    this.#activate(restored.value)
    if (!next.ok) void this.#retire(old)
    return next
  }

  #activate(next: WiredGeneration): WiredGeneration {
    if (next !== this.#now) next.attach()
    this.#now = next
    return next
  }

  #waitForRuns(old: WiredGeneration): Promise<void> {
    const { drainMs = 30_000, graceMs = 5_000 } = this.#options
    return old.drain(drainMs, graceMs)
  }

  #retire(old: WiredGeneration): Promise<readonly PluginError[]> {
    const retired = this.#waitForRuns(old).then(() => old.release())
    this.#retiring.add(retired)
    void retired.finally(() => this.#retiring.delete(retired))
    return retired
  }
}
