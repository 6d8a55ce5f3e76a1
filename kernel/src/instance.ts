import { blame, withDeadline } from './blame.ts'
import { ScopeError, type Scope } from './container.ts'
import { PluginError } from './errors.ts'
import { GUARD_HOOKS } from './hooks/catalog.ts'
import type { Tap } from './hooks/hook.ts'
import { hookTaps, type HookToken, type TapOptions } from './hooks/hooks.ts'
import type { Generation } from './generation.ts'
import { problem, type PlannedPlugin, type PlanProblem } from './plan.ts'
import type { SetupApi, Teardown } from './plugin.ts'
import { lateLogger, silentLogger } from './ports/log.ts'
import type { Addition } from './registry.ts'
import { err, ok, type Result } from './result.ts'
import { undoAll, type Undo } from './teardown.ts'
import type { Slot, Token } from './token.ts'

const BOOT_MS = 30_000

/** A slot filled by a plugin. The kernel-scope service is kept here once made, so that a reload adopts it. */
export interface Provision {
  readonly slot: Slot<unknown>
  readonly make: (scope: Scope) => unknown
  made?: { readonly value: unknown }
  /** As last handed out: wrapped by these decorations. */
  worn?: { readonly by: readonly Decoration[]; readonly value: unknown }
}

export interface Decoration { readonly plugin: string; readonly slot: Slot<unknown>; wrap(inner: unknown): unknown }

type Boot = Parameters<SetupApi['onBoot']>[0]

/**
 * One plugin that is set up. What it contributed is recorded, not wired: a generation puts the records in
 * place, and so does the next one when this plugin did not change.
 */
export class Instance {
  readonly planned: PlannedPlugin
  readonly taps: { readonly hook: HookToken; readonly tap: Tap }[] = []
  readonly additions: Addition[] = []
  readonly provisions: Provision[] = []
  readonly decorations: Decoration[] = []
  readonly problems: PlanProblem[] = []
  state: 'new' | 'set up' | 'running' | 'down' = 'new'
  setupMs = 0
  /** Generations that use it; torn down when the last one lets go. */
  holders = 0
  /** The wiring it belongs to now. A carried-over plugin moves to the new one at the swap. */
  home: Generation | undefined
  readonly #boots: Boot[] = []
  readonly #undos: Undo[] = []
  #open = true

  constructor(planned: PlannedPlugin) {
    this.planned = planned
  }

  get name(): string { return this.planned.name }

  /** Runs `setup`, which registers and does no I/O. */
  setup(scope: Scope): Result<void, PluginError> {
    const start = performance.now()
    try {
      const undo: unknown = this.planned.plugin.setup(this.#api(this.#deps(scope)))
      if (isTeardown(undo)) this.#undo('setup', undo)
      else if (undo !== undefined) {
        if (undo instanceof Promise) undo.catch(() => undefined)
        throw new PluginError(this.name, 'setup', 'setup', new Error('returned something that is no teardown; `setup` is synchronous, move the work to `onBoot`'), 'BAD_VALUE')
      }
      this.state = 'set up'
      return ok(undefined)
    } catch (cause) {
      return err(blame(this.name, 'setup', 'setup', cause))
    } finally {
      this.#open = false
      this.setupMs = performance.now() - start
      this.#checkProvided()
    }
  }

  async boot(): Promise<Result<void, PluginError>> {
    for (const boot of this.#boots) {
      const booting = Promise.withResolvers<void | Teardown>()
      try {
        const undo = await withDeadline((signal) => {
          booting.resolve(boot(signal))
          return booting.promise
        }, BOOT_MS)
        if (isTeardown(undo)) this.#undo('onBoot', undo)
      } catch (cause) {
        // Whatever a late boot still opens is closed again.
        booting.promise.then((undo) => undo?.()).catch(() => undefined)
        return err(blame(this.name, 'boot', 'onBoot', cause))
      }
    }
    this.state = 'running'
    return ok(undefined)
  }

  async teardown(): Promise<readonly PluginError[]> {
    if (this.state === 'down') return []
    this.state = 'down'
    return undoAll(this.#undos.splice(0))
  }

  /** The kernel scope as this plugin's factories see it: what it declared, in the generation it belongs to now. */
  get scope(): Scope {
    const declared = new Set([...Object.values(this.planned.plugin.requires), ...Object.values(this.planned.plugin.optional)].map((token) => token.key))
    const current = (slot: Slot<unknown>): Scope => {
      if (!declared.has(slot.key)) throw new ScopeError('UNDECLARED', `"${slot.id}" is not among the \`requires\` or \`optional\` of ${this.name}`)
      if (!this.home) throw new ScopeError('KERNEL_CLOSED', `${this.name} belongs to no generation`)
      return this.home.scope
    }
    return {
      kind: 'kernel',
      get: (slot) => current(slot).get(slot),
      find: (slot) => current(slot).find(slot),
      has: (slot) => current(slot).has(slot),
      child: () => { throw new ScopeError('SCOPE_LEAK', 'a factory makes no scopes') },
      onClose: (undo) => this.#undo('onClose', undo),
      close: async () => [],
    }
  }

  #undo(where: string, undo: Teardown): void {
    this.#undos.push({ plugin: this.name, where, undo })
  }

  #deps(scope: Scope): Readonly<Record<string, unknown>> {
    const { requires, optional } = this.planned.plugin
    const deps: Record<string, unknown> = {}
    for (const [key, token] of [...Object.entries(requires), ...Object.entries(optional)]) {
      if (isKernelSlot(token)) deps[key] = scope.find(token)
    }
    return Object.freeze(deps)
  }

  #checkProvided(): void {
    for (const token of this.planned.plugin.provides) {
      if (token.kind !== 'slot' || this.provisions.some(({ slot }) => slot.key === token.key)) continue
      this.problems.push(problem('UNDECLARED', [this.name], `${this.name} declares that it provides "${token.id}", but its setup did not`, 'call `provide` in setup, or take it out of `provides`'))
    }
  }

  #declares(tokens: readonly Token[], token: Token, what: string): boolean {
    if (tokens.some(({ key }) => key === token.key)) return true
    this.problems.push(problem('UNDECLARED', [this.name], `${this.name} ${what} "${token.id}" without declaring it`))
    return false
  }

  #api(deps: Readonly<Record<string, unknown>>): SetupApi {
    const { plugin, options, config } = this.planned
    const during = <A extends readonly unknown[]>(what: string, act: (...args: A) => void) => (...args: A): void => {
      if (!this.#open) throw new PluginError(this.name, 'setup', what, new Error(`${what} was called after setup`), 'SEALED')
      act(...args)
    }
    const tap = during('tap', (hook: HookToken, fn: Tap['fn'], { stage = 'normal' }: TapOptions = {}) => {
      if (stage === 'seal' && options.trusted !== true) this.problems.push(problem('UNTRUSTED_SEAL', [this.name], `${this.name} taps ${hook.name} at \`seal\`, which only trusted entries may`))
      if (options.optional === true && (stage === 'seal' || GUARD_HOOKS.some((name) => name === hook.name))) this.problems.push(problem('OPTIONAL_GUARD', [this.name], `${this.name} is optional and taps ${hook.name}, where guards stand`))
      this.taps.push({ hook, tap: { plugin: this.name, stage, fn, stats: { calls: 0, errors: 0, ms: 0, pending: 0 } } })
    })
    return Object.freeze({
      name: this.name, config, deps, tap,
      hooks: hookTaps(tap),
      provide: during('provide', (slot, make) => {
        if (this.#declares(plugin.provides, slot, 'provides')) this.provisions.push({ slot, make })
      }),
      add: during('add', (registry, key, value, { override } = {}) => { this.additions.push({ registry, key, value, override: override === true }) }),
      decorate: during('decorate', (slot, wrap) => {
        if (this.#declares(plugin.decorates, slot, 'decorates')) this.decorations.push({ plugin: this.name, slot, wrap })
      }),
      onBoot: during('onBoot', (boot) => { this.#boots.push(boot) }),
      onDispose: (undo) => this.#undo('onDispose', undo),
      log: lateLogger(() => this.home?.log ?? silentLogger, { plugin: this.name }),
      generation: () => {
        if (this.#open || !this.home) throw new ScopeError('SEALED', '`generation()` is there once setup is over: ask for it where it is used')
        return this.home
      },
    } satisfies SetupApi)
  }
}

const isTeardown = (value: unknown): value is Teardown => typeof value === 'function'
const isKernelSlot = (token: Token): token is Slot<unknown, 'kernel'> => token.kind === 'slot' && token.scope === 'kernel'
