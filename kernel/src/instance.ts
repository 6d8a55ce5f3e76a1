import { blame, undoAll, type Teardown, type Undo } from './blame.ts'
import { ScopeError, type Binding, type Scope } from './container.ts'
import { PluginError, type KernelCode } from './errors.ts'
import { measured, type Tap } from './hooks/hook.ts'
import type { HookToken, TapOptions } from './hooks/spec.ts'
import { withDeadline } from './limit.ts'
import { problem, type PlannedPlugin, type PlanProblem } from './plan.ts'
import type { Capabilities, PluginApi, Generation } from './plugin.ts'
import { lateLogger } from './ports/log.ts'
import type { Entries } from './registry.ts'
import { tryAsync, trySync, type Result } from './result.ts'
import type { Registry, Slot, Token } from './token.ts'

const BOOT_MS = 30_000
type Boot = Parameters<PluginApi['onBoot']>[0]

/** The wiring that a plugin contributes to. */
export interface Wiring extends Generation {
  entries(token: Registry<unknown>): Entries
  tap(hook: HookToken, tap: Tap): void
  bind(binding: Binding): void
  wrap(slot: Slot<unknown>, plugin: string, around: (inner: unknown) => unknown): void
}

/**
 * One plugin that is set up. Its contributions are recorded, not wired: each generation that uses
 * the plugin applies them.
 */
export class Instance {
  readonly planned: PlannedPlugin
  /** Its taps, entries, services and decorations, as functions that apply them to a wiring. */
  readonly contributions: ((to: Wiring) => PlanProblem | void)[] = []
  readonly provisions: { readonly slot: Slot<unknown>; isCreated: boolean }[] = []
  readonly problems: PlanProblem[] = []
  state: 'new' | 'set up' | 'running' | 'down' = 'new'
  setupMs = 0
  /** Number of generations that use it; at 0 it is torn down. */
  referenceCount = 0
  /** Its current wiring. A carried-over plugin moves to the new one at the swap. */
  home: Wiring
  readonly #boots: Boot[] = []
  readonly #undos: Undo[] = []

  constructor(planned: PlannedPlugin, home: Wiring) {
    this.planned = planned
    this.home = home
  }

  get name(): string {
    return this.planned.name
  }

  /** Runs `setup`, which registers and does no I/O. */
  setup(): Result<void, PluginError> {
    const start = performance.now()
    const done = trySync(
      () => this.#setup(),
      (cause) => blame(this.name, 'setup', 'setup', cause),
    )
    this.state = 'set up'
    this.setupMs = performance.now() - start
    return done
  }

  #setup(): void {
    const { requires, optional, provides, decorates } = this.planned.plugin
    this.#may('requires', ...Object.values(requires), ...Object.values(optional))
    this.#may('provides', ...provides)
    this.#may('decorates', ...decorates)
    const undo: unknown = this.planned.plugin.setup(this.#api())
    if (undo instanceof Promise) undo.catch(() => undefined)
    if (isTeardown(undo)) this.#undo('setup', undo)
    else if (undo !== undefined) {
      const reason =
        'returned a value that is not a teardown; `setup` is synchronous, move the work to `onBoot`'
      throw new PluginError(this.name, 'setup', 'setup', new Error(reason), 'BAD_VALUE')
    }
    this.#checkProvided()
  }

  boot(): Promise<Result<void, PluginError>> {
    const start = async (boot: Boot, signal: AbortSignal): Promise<void> => {
      const undo = await boot(signal)
      // A boot that finishes after its deadline is torn down at once.
      if (signal.aborted) await undo?.()
      else if (isTeardown(undo)) this.#undo('onBoot', undo)
    }
    return tryAsync(
      async () => {
        for (const boot of this.#boots) await withDeadline((signal) => start(boot, signal), BOOT_MS)
        this.state = 'running'
      },
      (cause) => blame(this.name, 'boot', 'onBoot', cause),
    )
  }

  teardown(): Promise<readonly PluginError[]> {
    this.state = 'down'
    return undoAll(this.#undos)
  }

  #api(): PluginApi {
    const {
      name,
      planned: {
        plugin: { requires, optional },
        config,
      },
    } = this
    const during =
      <A extends readonly unknown[]>(what: string, act: (...args: A) => void) =>
      (...args: A): void => {
        if (this.state !== 'new')
          throw new PluginError(
            name,
            'setup',
            what,
            new Error(`${what} was called after setup`),
            'SEALED',
          )
        act(...args)
      }
    const deps = Object.entries({ ...optional, ...requires }).map(
      ([key, token]) => [key, this.#dependency(token, key in requires)] as const,
    )
    return Object.freeze({
      name,
      config,
      deps: Object.freeze(Object.fromEntries(deps)),
      tap: during('tap', (hook, fn, options) => this.#tap(hook, fn, options)),
      provide: during('provide', (slot, make) => this.#provide(slot, make)),
      add: during('add', (registry, key, value, { override = false } = {}) => {
        this.#may('adds', registry)
        this.contributions.push((to) => to.entries(registry).add(key, value, name, override))
      }),
      decorate: during('decorate', (slot, wrap) => this.#decorate(slot, wrap)),
      onBoot: during('onBoot', (boot) => {
        this.#boots.push(boot)
      }),
      onDispose: (undo) => this.#undo('onDispose', undo),
      log: lateLogger(() => this.home.log, { plugin: name }),
      generation: () => {
        if (this.state !== 'new') return this.home
        throw new ScopeError(
          'SEALED',
          '`generation()` is there once setup is over: ask for it where it is used',
        )
      },
    } satisfies PluginApi)
  }

  /**
   * A service; a function that looks it up, where it depends on the session, the run or the time.
   */
  #dependency(token: Token, required: boolean): unknown {
    if (token.kind === 'registry') return () => this.home.entries(token).values
    if (token.scope === 'kernel') return this.home.scope.find(token)
    return ({ scope }: { readonly scope: Scope }) =>
      required ? scope.get(token) : scope.find(token)
  }

  #tap(hook: HookToken, fn: Tap['fn'], { stage = 'normal', timeoutMs = 0 }: TapOptions = {}): void {
    const { trusted, optional } = this.planned.options
    this.#may('taps', { id: hook.name })
    const guards = stage === 'seal' || hook.spec.policy.guards === true
    if (stage === 'seal' && trusted !== true)
      this.#problem(
        'UNTRUSTED_SEAL',
        `taps ${hook.name} at \`seal\`, which only trusted entries may`,
      )
    if (guards && optional === true)
      this.#problem('OPTIONAL_GUARD', `is optional and taps ${hook.name}, a hook for guards`)
    const stats = { calls: 0, errors: 0, ms: 0, pending: 0 }
    const tap = {
      plugin: this.name,
      stage,
      timeoutMs,
      stats,
      fn: measured(fn, stats, hook.spec.kind),
    }
    this.contributions.push((to) => to.tap(hook, tap))
  }

  #provide(slot: Slot<unknown>, make: (scope: Scope) => unknown): void {
    if (!this.#declares('provides', slot)) return
    const provision = { slot, isCreated: false }
    const once = remembered(() => {
      const service = make(this.#scope())
      provision.isCreated = true
      return service
    })
    this.provisions.push(provision)
    this.contributions.push((to) =>
      to.bind({ slot, owner: this.name, make: slot.scope === 'kernel' ? () => once(slot) : make }),
    )
  }

  #decorate(slot: Slot<unknown>, wrap: (inner: unknown) => unknown): void {
    const put = slot.scope === 'kernel' ? remembered(wrap) : wrap
    if (this.#declares('decorates', slot))
      this.contributions.push((to) => to.wrap(slot, this.name, put))
  }

  #declares(what: 'provides' | 'decorates', { key, id }: Token): boolean {
    if (this.planned.plugin[what].some((token) => token.key === key)) return true
    this.#problem('UNDECLARED', `${what} "${id}" without declaring it`)
    return false
  }

  #checkProvided(): void {
    for (const { kind, key, id } of this.planned.plugin.provides) {
      if (kind !== 'slot' || this.provisions.some(({ slot }) => slot.key === key)) continue
      this.#problem(
        'UNDECLARED',
        `declares that it provides "${id}", but its setup did not`,
        'call `provide` in setup, or take it out of `provides`',
      )
    }
  }

  #problem(code: KernelCode, message: string, fix?: string): void {
    this.problems.push(problem(code, [this.name], `${this.name} ${message}`, fix))
  }

  /** Refuses a capability that the package of the plugin does not declare. */
  #may(what: keyof Capabilities, ...things: readonly { readonly id: string }[]): void {
    const { capabilities } = this.planned.options
    if (!capabilities) return
    for (const { id } of things)
      if (capabilities[what]?.includes(id) !== true)
        this.#problem(
          'UNDECLARED',
          `${what} "${id}", and its package.json does not say so`,
          'its author runs `amodal plugins manifest --write`, and you review the change',
        )
  }

  #undo(where: string, undo: Teardown): void {
    this.#undos.push({ plugin: this.name, where, undo })
  }

  /**
   * The kernel scope as this plugin's factories see it: what it declared, in the generation it
   * belongs to now.
   */
  #scope(): Scope {
    const { requires, optional } = this.planned.plugin
    const declared = new Set(
      [...Object.values(requires), ...Object.values(optional)].map(({ key }) => key),
    )
    const current = (slot: Slot<unknown>): Scope => {
      if (declared.has(slot.key)) return this.home.scope
      throw new ScopeError(
        'UNDECLARED',
        `"${slot.id}" is not among the \`requires\` or \`optional\` of ${this.name}`,
      )
    }
    return {
      kind: 'kernel',
      get: (slot) => current(slot).get(slot),
      find: (slot) => current(slot).find(slot),
      has: (slot) => current(slot).has(slot),
      child: () => {
        throw new ScopeError('SCOPE_LEAK', 'a factory makes no scopes')
      },
      onClose: (undo) => this.#undo('onClose', undo),
      close: async () => [],
    }
  }
}

/**
 * Caches the last result: a service of the kernel scope is created once and wrapped once, also
 * across reloads.
 */
function remembered<A, R>(make: (input: A) => R): (input: A) => R {
  let last: { readonly input: A; readonly result: R } | undefined
  return (input) => {
    last = last && last.input === input ? last : { input, result: make(input) }
    return last.result
  }
}

const isTeardown = (value: unknown): value is Teardown => typeof value === 'function'
