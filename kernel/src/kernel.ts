import { assemble, carryOver, withDependants } from './assemble.ts'
import { ScopeError, type Scope, type Seed } from './container.ts'
import type { PluginError } from './errors.ts'
import type { Generation, Surroundings } from './generation.ts'
import type { Tracer } from './hooks/hook.ts'
import { chooseRunner, type HookRunner } from './hooks/runner.ts'
import { Inspector } from './inspector.ts'
import { problem, resolvePlan, type KernelError, type Plan, type PlanOptions } from './plan.ts'
import type { Entry, Plugin } from './plugin.ts'
import { err, ok, type Result } from './result.ts'
import { Clock, systemClock } from './time.ts'

export interface KernelOptions extends Omit<PlanOptions, 'given'> {
  readonly clock?: Clock
  /** How taps run; where code generation is refused, `plain` is taken by itself. */
  readonly runner?: HookRunner['name']
  /** Sees what taps do to values: `traceValues()` of the sdk. */
  readonly trace?: Tracer
  /** Sets up and wires, but boots nothing: to ask what plugins contribute, such as commands. */
  readonly dry?: boolean
  /** Slots that the kernel itself fills. */
  readonly services?: readonly Seed[]
  /** ms a retiring generation waits for its runs before it asks them to hand over. */
  readonly drainMs?: number
  /** ms they then have. */
  readonly graceMs?: number
}

export interface Reloaded {
  readonly generation: Generation
  /** Plugins that went on without being touched. */
  readonly carried: readonly string[]
  /** Resolves when the old generation has let go, with what failed while it was undone. */
  readonly retired: Promise<readonly PluginError[]>
}

/** A failure as it is kept: plain, so that it holds on to nothing. */
export type RecordedError = Pick<PluginError, 'plugin' | 'phase' | 'where' | 'code' | 'message'> & {
  readonly at: number
}

/**
 * What a kernel is made of and how it fares, as it stands: live objects, and config with its
 * secrets. `inspectionOf(kernel)` of the sdk makes JSON of it that is safe to show.
 */
export type KernelFacts = ReturnType<Kernel['facts']>

interface Dropped {
  readonly names: readonly string[]
  readonly error: PluginError
}

const MOST_ERRORS = 50

/** Plugins, wired and running. Two kernels in one process know nothing of each other. */
export class Kernel {
  readonly #options: KernelOptions
  readonly #around: Surroundings
  readonly #errors: RecordedError[] = []
  readonly #retiring = new Set<Promise<readonly PluginError[]>>()
  #now: Generation | undefined
  /** One change at a time. */
  #changes: Promise<unknown> = Promise.resolve()
  #drained: Promise<void> | undefined
  #closing: Promise<readonly PluginError[]> | undefined

  private constructor(options: KernelOptions) {
    const { clock = systemClock, services = [], runner, trace } = options
    const record = ({ plugin, phase, where, code, message }: PluginError): void => {
      this.#errors.push({ at: clock.now(), plugin, phase, where, code, message })
      if (this.#errors.length > MOST_ERRORS) this.#errors.shift()
    }
    const own: readonly Seed[] = [
      [Clock, clock],
      [Inspector, { facts: () => this.facts() }],
    ]
    this.#options = options
    this.#around = {
      runner: chooseRunner(runner),
      services: [...own, ...services],
      tracer: trace,
      record,
    }
  }

  /**
   * Plans, sets up and boots.
   *
   * @example
   * const made = await Kernel.create([use(memory, { maxEntries: 20 }), use(memoryStoreInline)])
   * if (!made.ok) throw new Error(explain(made.error))
   * const kernel = made.value
   */
  static async create(
    entries: readonly Entry[],
    options: KernelOptions = {},
  ): Promise<Result<Kernel, KernelError>> {
    const kernel = new Kernel(options)
    const started = await kernel.#start(undefined, entries)
    if (!started.ok) return started
    kernel.#take(started.value)
    return ok(kernel)
  }

  /** The generation that new runs take. */
  current(): Generation {
    if (this.#now) return this.#now
    throw new ScopeError('SEALED', 'the kernel is still being made')
  }

  /** The kernel scope of the current generation. */
  get scope(): Scope {
    return this.current().scope
  }

  get closed(): boolean {
    return this.#closing !== undefined
  }

  facts() {
    const {
      runner: { name: runner },
      services,
      tracer,
    } = this.#around
    const errors: readonly RecordedError[] = this.#errors
    return {
      generation: this.current(),
      runner,
      services,
      errors,
      changes: tracer?.changes ?? [],
      env: this.#options.env ?? {},
    }
  }

  /**
   * Builds the next generation beside this one, swaps, then retires the old. On any failure the
   * running one serves on.
   */
  reload(entries: readonly Entry[]): Promise<Result<Reloaded, KernelError>> {
    const change = this.#changes.then(() => this.#reload(entries))
    this.#changes = change.catch(() => undefined)
    return change
  }

  /** Tells the plugins to stop taking work. */
  drain(reason: string): Promise<void> {
    this.#drained ??= this.current()
      .hooks.kernel.drain.call(reason)
      .then(() => undefined)
    return this.#drained
  }

  /**
   * Drains, waits for runs, and undoes everything, last made first. Returns what failed on the way.
   */
  close(reason = 'close'): Promise<readonly PluginError[]> {
    this.#closing ??= this.#close(reason)
    return this.#closing
  }

  async #close(reason: string): Promise<readonly PluginError[]> {
    await this.#changes
    await this.drain(reason)
    void this.#retire(this.current())
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
   * Plans and assembles; an optional plugin that fails is left out, with those who need it, and all
   * is tried again.
   */
  async #start(
    old: Generation | undefined,
    entries: readonly Entry[],
    dropped: readonly Dropped[] = [],
  ): Promise<Result<Generation, KernelError>> {
    const planned = this.#plan(entries)
    if (!planned.ok) return dropped[0] ? err({ kind: 'plugin', error: dropped[0].error }) : planned
    const made = await assemble(old, planned.value, this.#around, this.#options.dry)
    if (made.ok) {
      for (const warning of planned.value.warnings)
        made.value.log.warn('kernel.unsafe', { message: warning })
      for (const { names, error } of dropped)
        made.value.log.warn('kernel.dropped', { plugins: names, because: error.message })
      return made
    }
    if (made.error.kind === 'plan') return made
    const { error } = made.error
    const failed = planned.value.plugins.find(({ name }) => name === error.plugin)
    if (failed?.options.optional !== true) return made
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
    const old = this.current()
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
        `${name} changed and cannot be exchanged in a running process`,
      ),
    )
    if (stuck.length > 0) return err({ kind: 'plan', problems: stuck })

    const exclusive = leaving('exclusive')
    const next =
      exclusive.length > 0
        ? await this.#exchange(old, entries, exclusive)
        : await this.#start(old, entries)
    if (!next.ok) return next
    const { id, instances, log } = this.#take(next.value)
    const same = instances
      .filter((instance) => old.instances.includes(instance))
      .map(({ name }) => name)
    log.info('kernel.reloaded', { generation: id, carried: same.length, plugins: instances.length })
    return ok({ generation: next.value, carried: same, retired: this.#retire(old) })
  }

  /**
   * For a folder or a port that only one may hold: the old holder and those who need it are torn
   * down first, and set up again if the new wiring fails. Meanwhile no run begins: the signal of
   * the current generation is aborted.
   */
  async #exchange(
    old: Generation,
    entries: readonly Entry[],
    exclusive: readonly string[],
  ): Promise<Result<Generation, KernelError>> {
    await this.#emptied(old)
    const torn = withDependants(old.plan, exclusive)
    for (const instance of old.instances.toReversed()) {
      if (torn.has(instance.name)) (await instance.teardown()).forEach(this.#around.record)
    }
    const next = await this.#start(old, entries)
    const restored = next.ok ? next : await assemble(old, old.plan, this.#around)
    if (!restored.ok) return restored
    this.#take(restored.value)
    if (!next.ok) void this.#retire(old)
    return next
  }

  #take(next: Generation): Generation {
    if (next !== this.#now) next.settle()
    this.#now = next
    return next
  }

  #emptied(old: Generation): Promise<void> {
    const { drainMs = 30_000, graceMs = 5_000 } = this.#options
    return old.drain(drainMs, graceMs)
  }

  #retire(old: Generation): Promise<readonly PluginError[]> {
    const retired = this.#emptied(old).then(() => old.release())
    this.#retiring.add(retired)
    void retired.finally(() => this.#retiring.delete(retired))
    return retired
  }
}
