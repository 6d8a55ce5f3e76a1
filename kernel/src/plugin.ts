import type { z } from 'zod'
import type { Scope } from './container.ts'
import type { Generation } from './generation.ts'
import type { HookTaps, HookToken, TapOptions } from './hooks/hooks.ts'
import type { HookSpec, TapFunction } from './hooks/spec.ts'
import type { Logger } from './ports/log.ts'
import type { Registry, Slot, Token } from './token.ts'

/** The plugin API that this kernel speaks; a plugin made for another one is refused while planning. */
export const KERNEL_API = 1

const PLUGIN = Symbol.for('amodal.plugin')

export type Env = Readonly<Record<string, string | undefined>>
export type Teardown = () => void | Promise<void>
export type Tokens = Readonly<Record<string, Token>>
export type ReloadMode = 'swap' | 'exclusive' | 'restart'
export type ValueOf<T> = T extends Slot<infer V> ? V : never

/** Values of the kernel-scope slots in a record; the others are looked up where they live. */
export type Deps<R extends Tokens> = { readonly [K in keyof R as R[K] extends Slot<unknown, 'kernel'> ? K : never]: ValueOf<R[K]> }
export type OptionalDeps<O extends Tokens> = { readonly [K in keyof O as O[K] extends Slot<unknown, 'kernel'> ? K : never]: ValueOf<O[K]> | undefined }

/** What `setup` is given. Everything but `onDispose`, `log` and `generation` is closed once `setup` has returned. */
export interface SetupApi<C = unknown, D = unknown, P = Token, W = Slot<unknown>> {
  readonly name: string
  /** Parsed and frozen. */
  readonly config: C
  /** The kernel-scope slots among `requires` and `optional`. Registries are read per use: `ctx` or `generation().registry(T)`. */
  readonly deps: D
  readonly hooks: HookTaps
  /** Taps a hook that another plugin publishes (`defineHook`). */
  readonly tap: <S extends HookSpec>(hook: HookToken<S>, fn: TapFunction<S>, options?: TapOptions) => void
  /** Fills a slot of `provides`. The factory runs when the service is first asked for, once per scope of its kind. */
  readonly provide: <S extends P & Slot<unknown>>(slot: S, make: (scope: Scope) => ValueOf<S>) => void
  /** Adds an entry to a registry. A key that exists is a problem that names both, unless it is overridden on purpose. */
  readonly add: <T>(registry: Registry<T>, key: string, value: NoInfer<T>, options?: { readonly override?: true }) => void
  /** Wraps a slot of `decorates`. */
  readonly decorate: <S extends W & Slot<unknown>>(slot: S, wrap: (inner: ValueOf<S>) => ValueOf<S>) => void
  /** Sockets, migrations, timers: in plan order, once per instance, 30 s. What it returns undoes it. */
  readonly onBoot: (boot: (signal: AbortSignal) => void | Teardown | Promise<void | Teardown>) => void
  /** Undone last made first, when the plugin leaves. */
  readonly onDispose: (undo: Teardown) => void
  /** Carries `plugin: name`. Lines written before there is a log are kept until there is one. */
  readonly log: Logger
  /** The wiring this plugin belongs to now: it changes with a reload, so ask each time. Throws inside `setup`. */
  readonly generation: () => Generation
}

/** A plugin without its types: what lists, plans and `.d.ts` files hold. */
export interface Plugin {
  readonly name: string
  readonly version: string
  readonly kernel: number
  readonly requires: Tokens
  readonly optional: Tokens
  readonly provides: readonly Token[]
  readonly decorates: readonly Slot<unknown>[]
  readonly after: readonly string[]
  readonly config: z.ZodType | undefined
  readonly reload: ReloadMode
  adjustConfig?(raw: unknown, env: Env): unknown
  setup(k: SetupApi): void | Teardown
}

export interface PluginDefinition<C extends z.ZodType, R extends Tokens, O extends Tokens, P extends Token, W extends Slot<unknown>> {
  /** Kebab-case, unique in a plan. */
  readonly name: string
  readonly version: string
  /** API major; this kernel's where it is left out. */
  readonly kernel?: number
  /** What must exist. Kernel-scope slots arrive in `k.deps`. */
  readonly requires?: R
  /** What is used where it exists. */
  readonly optional?: O
  /** Slots this plugin fills, checked against what `setup` did; registries listed here only order it before those who require them. */
  readonly provides?: readonly P[]
  /** Slots this plugin wraps. */
  readonly decorates?: readonly W[]
  /** Plugins to stand behind, where they are present. */
  readonly after?: readonly string[]
  readonly config?: C
  /** `swap`: new beside old. `exclusive`: the old one is torn down first (a folder, a port). `restart`: only a new process will do. */
  readonly reload?: ReloadMode
  /** Pure; runs before validation. Returns the new raw config, or nothing to keep it. */
  readonly adjustConfig?: (raw: Readonly<Record<string, unknown>>, env: Env) => unknown
  readonly setup: (k: SetupApi<z.output<C>, Deps<R> & OptionalDeps<O>, P, W>) => void | Teardown
}

/**
 * Makes a plugin: a frozen constant, exported once. Its config is data, given in the list
 * (`use(memory, { maxEntries: 20 })`), so that plans can be compared, reloaded and printed.
 *
 * Life of a plugin:
 * 1. `adjustConfig` (pure)
 * 2. plan: order, config, every problem reported at once; nothing of a plugin has run
 * 3. `setup` in plan order: registers, does no I/O
 * 4. seal: a later tap throws and names the plugin
 * 5. `onBoot` in plan order
 * 6. run
 * 7. `kernel.drain`: stop taking work
 * 8. teardowns, last made first
 *
 * If 3 or 5 fails, what was set up is torn down in reverse, and the previous generation keeps serving.
 *
 * @example
 * export const greeter = definePlugin({
 *   name: 'greeter', version: '1.0.0', provides: [Greeter],
 *   config: z.object({ word: z.string().default('Hello') }),
 *   setup({ config, provide }) { provide(Greeter, () => ({ greet: (who) => `${config.word} ${who}` })) },
 * })
 */
export function definePlugin<
  C extends z.ZodType = z.ZodType<Readonly<Record<string, never>>>,
  R extends Tokens = Record<never, never>, O extends Tokens = Record<never, never>,
  const P extends Token = never, const W extends Slot<unknown> = never,
>(definition: PluginDefinition<C, R, O, P, W>): Plugin {
  const plugin: Plugin = {
    name: definition.name,
    version: definition.version,
    kernel: definition.kernel ?? KERNEL_API,
    requires: Object.freeze({ ...definition.requires }),
    optional: Object.freeze({ ...definition.optional }),
    provides: Object.freeze([...definition.provides ?? []]),
    decorates: Object.freeze([...definition.decorates ?? []]),
    after: Object.freeze([...definition.after ?? []]),
    config: definition.config,
    reload: definition.reload ?? 'swap',
    ...(definition.adjustConfig && { adjustConfig: definition.adjustConfig }),
    // The kernel hands in what the definition asked for: config parsed by its schema, deps by its tokens.
    setup: definition.setup,
  }
  return Object.freeze(Object.defineProperty(plugin, PLUGIN, { value: true }))
}

/** Works across two copies of the kernel, where `instanceof` does not. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && PLUGIN in value
}

export interface UseOptions {
  /** A name of its own, to use the same plugin twice. */
  readonly as?: string
  /** A failing setup or boot drops the plugin and those who need it, with a warning. Never for guards. */
  readonly optional?: boolean
  /** May tap at `seal`. */
  readonly trusted?: boolean
  /** Where it came from, for `inspect`: a preset, a path, a package. */
  readonly source?: string
}

export type Entry =
  | { readonly kind: 'use'; readonly plugin: Plugin; readonly config: unknown; readonly options: UseOptions }
  | { readonly kind: 'replace'; readonly name: string; readonly plugin: Plugin; readonly config: unknown; readonly options: UseOptions }
  | { readonly kind: 'without'; readonly name: string; readonly unsafe: boolean }

/** Lists a plugin. The same name again merges its config one level deep; arrays replace. */
export function use(plugin: Plugin, config?: unknown, options: UseOptions = {}): Entry {
  return Object.freeze({ kind: 'use', plugin, config, options })
}

/** Puts another plugin in the place of one that is listed before. */
export function replace(name: string, plugin: Plugin, config?: unknown, options: UseOptions = {}): Entry {
  return Object.freeze({ kind: 'replace', name, plugin, config, options })
}

/** Takes a plugin out. A pinned one needs `unsafe: true`, which is told at every start. */
export function without(name: string, options: { readonly unsafe?: boolean } = {}): Entry {
  return Object.freeze({ kind: 'without', name, unsafe: options.unsafe === true })
}
