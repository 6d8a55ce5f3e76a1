import { assemble, carryOver, withDependants } from './assemble.ts'
import type { Scope, Seed } from './container.ts'
import { Diagnostics } from './diagnostics.ts'
import type { PluginError } from './errors.ts'
import type { Generation, Surroundings } from './generation.ts'
import { chooseRunner } from './hooks/choose-runner.ts'
import type { HookRunner } from './hooks/runner.ts'
import { inspect, type Inspection } from './inspect.ts'
import type { Instance } from './instance.ts'
import { problem, resolvePlan, type Plan, type PlanOptions } from './plan.ts'
import type { KernelError } from './plan-report.ts'
import { without, type Entry } from './plugin.ts'
import { Inspector } from './ports/inspector.ts'
import { err, ok, type Result } from './result.ts'
import { Clock, systemClock } from './time.ts'

export interface KernelOptions extends Omit<PlanOptions, 'given'> {
  readonly clock?: Clock
  /** How taps run; where code generation is refused, `plain` is taken by itself. */
  readonly runner?: HookRunner['name']
  readonly trace?: {
    /** Records which tap changed what, for `inspect`. */
    readonly values?: boolean
  }
  /** Sets up and wires, but boots nothing: to ask what plugins contribute, such as commands. */
  readonly dry?: boolean
  /** Slots that the kernel itself fills. */
  readonly services?: readonly Seed[]
  /** ms a retiring generation waits for its runs before it asks them to hand over. */
  readonly drainMs?: number
  /** ms they then have. */
  readonly graceMs?: number
}

/** What a reload may change; what is left out stays. */
export type ReloadOptions = Omit<KernelOptions, 'clock' | 'runner' | 'trace' | 'services'>

export interface Reloaded {
  readonly generation: Generation
  /** Plugins that went on without being touched. */
  readonly carried: readonly string[]
  /** Resolves when the old generation has let go, with what failed while it was undone. */
  readonly retired: Promise<readonly PluginError[]>
}

/** Plugins, wired and running. Two kernels in one process know nothing of each other. */
export class Kernel {
  readonly #around: Surroundings
  readonly #retiring = new Set<Promise<readonly PluginError[]>>()
  #options: KernelOptions
  #now: Generation
  #ids = 1
  /** One change at a time; `#swap` is set while an exclusive resource changes hands. */
  #changes: Promise<unknown> = Promise.resolve()
  #swap: Promise<unknown> | undefined
  #drained: Promise<void> | undefined
  #closing: Promise<readonly PluginError[]> | undefined

  private constructor(around: Surroundings, options: KernelOptions, first: Generation) {
    this.#around = around
    this.#options = options
    this.#now = first
    first.settle()
  }

  /**
   * Plans, sets up and boots.
   *
   * @example
   * const made = await Kernel.create([use(memory, { maxEntries: 20 }), use(memoryStoreInline)])
   * if (!made.ok) throw new Error(explain(made.error))
   * const kernel = made.value
   */
  static async create(entries: readonly Entry[], options: KernelOptions = {}): Promise<Result<Kernel, KernelError>> {
    const clock = options.clock ?? systemClock
    let kernel: Kernel | undefined
    const inspector: Inspector = { inspect: () => unmade(kernel).inspect() }
    const services: readonly Seed[] = [[Clock, clock], [Inspector, inspector], ...options.services ?? []]
    const all = { ...options, services }
    const around: Surroundings = {
      runner: chooseRunner(options.runner),
      services,
      diagnostics: new Diagnostics(() => clock.now()),
      traceValues: options.trace?.values === true,
    }
    const started = await start(1, entries, all, () => new Map(), around)
    if (!started.ok) return started
    kernel = new Kernel(around, all, started.value)
    return ok(kernel)
  }

  /** The generation that new runs take. */
  current(): Generation { return this.#now }

  /** As `current`, once no exclusive resource is changing hands. */
  async ready(): Promise<Generation> {
    while (this.#swap) await this.#swap
    return this.#now
  }

  /** As `ready`, held from the same moment on, so that no reload can retire it in between. */
  async acquire(): Promise<{ readonly generation: Generation; readonly release: () => void }> {
    while (this.#swap) await this.#swap
    return { generation: this.#now, release: this.#now.acquire() }
  }

  /** The kernel scope of the current generation. */
  get scope(): Scope { return this.#now.scope }

  get closed(): boolean { return this.#closing !== undefined }

  inspect(): Inspection {
    return inspect(this.#now, this.#around, this.#options.env ?? {})
  }

  /** Builds the next generation beside this one, swaps, then retires the old. On any failure the running one serves on. */
  reload(entries: readonly Entry[], options: ReloadOptions = {}): Promise<Result<Reloaded, KernelError>> {
    const change = this.#changes.then(() => this.#reload(entries, { ...this.#options, ...options }))
    this.#changes = change.catch(() => undefined)
    return change
  }

  /** Tells the plugins to stop taking work. */
  drain(reason: string): Promise<void> {
    this.#drained ??= Promise.resolve(this.#now.hooks.kernel.drain.call(reason)).then(() => undefined)
    return this.#drained
  }

  /** Drains, waits for runs, and undoes everything, last made first. Returns what failed on the way. */
  close(reason = 'close'): Promise<readonly PluginError[]> {
    this.#closing ??= this.#close(reason)
    return this.#closing
  }

  async #close(reason: string): Promise<readonly PluginError[]> {
    await this.#changes
    await this.drain(reason)
    const last = this.#retire(this.#now)
    const errors = await Promise.all([...this.#retiring, last])
    return [...new Set(errors.flat())]
  }

  async #reload(entries: readonly Entry[], options: KernelOptions): Promise<Result<Reloaded, KernelError>> {
    if (this.closed) return err({ kind: 'plan', problems: [problem('KERNEL_CLOSED', [], 'the kernel is closed')] })
    const old = this.#now
    const planned = plan(entries, options)
    if (!planned.ok) return planned
    const carried = carryOver(old, planned.value)
    const leaving = old.instances.filter((instance) => carried.get(instance.name) !== instance)
    const stuck = leaving.filter(({ planned: { plugin } }) => plugin.reload === 'restart')
    if (stuck.length > 0) return err({ kind: 'plan', problems: stuck.map(({ name }) => problem('RESTART_NEEDED', [name], `${name} changed and cannot be exchanged in a running process`)) })

    const exclusive = leaving.filter(({ planned: { plugin } }) => plugin.reload === 'exclusive').map(({ name }) => name)
    const next = exclusive.length > 0
      ? await this.#exchange(entries, options, exclusive)
      : await start(++this.#ids, entries, options, (to) => carryOver(old, to), this.#around)
    if (!next.ok) return next
    this.#options = options
    if (this.#now !== next.value) this.#take(next.value)
    const same = next.value.instances.filter((instance) => old.instances.includes(instance)).map(({ name }) => name)
    next.value.log.info('kernel.reloaded', { generation: next.value.id, carried: same.length, plugins: next.value.instances.length })
    return ok({ generation: next.value, carried: same, retired: this.#retire(old) })
  }

  /**
   * For a folder or a port that only one may hold: the old holder and those who need it are torn down first,
   * and set up again if the new wiring fails. Whoever asks for `ready()` waits meanwhile.
   */
  async #exchange(entries: readonly Entry[], options: KernelOptions, exclusive: readonly string[]): Promise<Result<Generation, KernelError>> {
    const old = this.#now
    const done = Promise.withResolvers<void>()
    this.#swap = done.promise
    try {
      await old.drain(options.drainMs ?? DRAIN_MS, options.graceMs ?? GRACE_MS)
      const torn = withDependants(old.plan, exclusive)
      for (const instance of old.instances.toReversed()) {
        if (torn.has(instance.name)) for (const error of await instance.teardown()) this.#around.diagnostics.failed(error)
      }
      const next = await start(++this.#ids, entries, options, (to) => carryOver(old, to), this.#around)
      if (next.ok) {
        this.#take(next.value)
        return next
      }
      const restored = await assemble(++this.#ids, old.plan, carryOver(old, old.plan), this.#around)
      if (!restored.ok) return restored
      this.#take(restored.value)
      void this.#retire(old)
      return next
    } finally {
      this.#swap = undefined
      done.resolve()
    }
  }

  #take(next: Generation): void {
    next.settle()
    this.#now = next
  }

  #retire(old: Generation): Promise<readonly PluginError[]> {
    const retired = old.drain(this.#options.drainMs ?? DRAIN_MS, this.#options.graceMs ?? GRACE_MS).then(() => old.release())
    this.#retiring.add(retired)
    void retired.finally(() => this.#retiring.delete(retired))
    return retired
  }
}

function unmade(kernel: Kernel | undefined): Kernel {
  if (kernel) return kernel
  throw new Error('the kernel is still being made')
}

const DRAIN_MS = 30_000
const GRACE_MS = 5_000

function plan(entries: readonly Entry[], options: KernelOptions): Result<Plan, KernelError> {
  const planned = resolvePlan(entries, { ...options, given: (options.services ?? []).map(([slot]) => slot) })
  return planned.ok ? planned : err({ kind: 'plan', problems: planned.error })
}

/** Plans and assembles; an optional plugin that fails is left out, with those who need it, and all is tried again. */
async function start(
  id: number, entries: readonly Entry[], options: KernelOptions, carry: (plan: Plan) => ReadonlyMap<string, Instance>, around: Surroundings,
): Promise<Result<Generation, KernelError>> {
  const dropped: { readonly names: readonly string[]; readonly error: PluginError }[] = []
  for (let list = entries; ;) {
    const planned = plan(list, options)
    const [first] = dropped
    if (!planned.ok) return first ? err({ kind: 'plugin', error: first.error }) : planned
    const made = await assemble(id, planned.value, carry(planned.value), around, options.dry)
    if (made.ok) {
      for (const warning of planned.value.warnings) made.value.log.warn('kernel.unsafe', { message: warning })
      for (const { names, error } of dropped) made.value.log.warn('kernel.dropped', { plugins: names, because: error.message })
      return made
    }
    const { error } = made
    const failed = error.kind === 'plugin' ? planned.value.plugins.find(({ name }) => name === error.error.plugin) : undefined
    if (error.kind !== 'plugin' || failed?.options.optional !== true) return made
    const names = [...withDependants(planned.value, [failed.name])]
    dropped.push({ names, error: error.error })
    list = [...list, ...names.map((name) => without(name))]
  }
}
