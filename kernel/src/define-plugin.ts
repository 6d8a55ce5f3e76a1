import type { z } from 'zod'
import type { Teardown } from './blame.ts'
import type { Scope } from './container.ts'
import type { TapFunction } from './define-hook.ts'
import type { HookSpec, HookToken, TapOptions } from './hooks/spec.ts'
import { KERNEL_API, PLUGIN, type Env, type Plugin, type PluginApi, type Tokens } from './plugin.ts'
import type { Registry, Slot, Token } from './token.ts'

export type ValueOf<T> = T extends Slot<infer V> ? V : never

/**
 * The dependencies of `requires`: a service of the kernel; a function of a context for a service of
 * a session or a run (`deps.database(ctx)`); a function that returns the entries of a registry.
 */
export type Deps<R extends Tokens> = { readonly [K in keyof R]: Dependency<R[K], never> }
/** The dependencies of `optional`: `undefined` where no plugin provides them. */
export type OptionalDeps<O extends Tokens> = {
  readonly [K in keyof O]: Dependency<O[K], undefined>
}
type Dependency<T, Missing> =
  T extends Registry<infer E>
    ? () => ReadonlyMap<string, E>
    : T extends Slot<infer V, 'kernel'>
      ? V | Missing
      : T extends Slot<infer V>
        ? (at: { readonly scope: Pick<Scope, 'get' | 'find'> }) => V | Missing
        : never

/**
 * What `setup` is given. Everything but `onDispose`, `log` and `generation` is closed once `setup`
 * has returned.
 */
export interface SetupApi<C = unknown, D = unknown, P = Token, W = Slot<unknown>> extends Omit<
  PluginApi,
  'config' | 'deps' | 'tap' | 'provide' | 'add' | 'decorate'
> {
  /** Parsed and frozen. */
  readonly config: C
  /**
   * The dependencies of `requires` and `optional`, by their keys: a service of the kernel, a
   * function of a context for one of a session or a run, and a function for the entries of a
   * registry.
   */
  readonly deps: D
  /** Taps a hook that a plugin publishes (`defineHook`). */
  readonly tap: <S extends HookSpec>(
    hook: HookToken<S>,
    fn: TapFunction<S>,
    options?: TapOptions,
  ) => void
  /**
   * Fills a slot of `provides`. The factory runs at the first lookup of the service, once per scope
   * of its kind.
   */
  readonly provide: <S extends P & Slot<unknown>>(
    slot: S,
    make: (scope: Scope) => ValueOf<S>,
  ) => void
  /**
   * Adds an entry to a registry. A key that exists is a problem that names both, unless it is
   * overridden on purpose.
   */
  readonly add: <T>(
    registry: Registry<T>,
    key: string,
    value: NoInfer<T>,
    options?: { readonly override?: true },
  ) => void
  /** Wraps a slot of `decorates`. */
  readonly decorate: <S extends W & Slot<unknown>>(
    slot: S,
    wrap: (inner: ValueOf<S>) => ValueOf<S>,
  ) => void
}

export interface PluginDefinition<
  C extends z.ZodType,
  R extends Tokens,
  O extends Tokens,
  P extends Token,
  W extends Slot<unknown>,
  K = SetupApi<z.output<C>, Deps<R> & OptionalDeps<O>, P, W>,
> {
  /** Kebab-case, unique in a plan. */
  readonly name: string
  readonly version: string
  /** API major; default: that of this kernel. */
  readonly kernel?: number
  /** What must exist. Kernel-scope slots arrive in `k.deps`. */
  readonly requires?: R
  /** What is used where it exists. */
  readonly optional?: O
  /**
   * Slots this plugin fills, checked against what `setup` did; registries listed here only order it
   * before the plugins that require them.
   */
  readonly provides?: readonly P[]
  /** Slots this plugin wraps. */
  readonly decorates?: readonly W[]
  /** Plugins that are set up before this one, where they are present. */
  readonly after?: readonly string[]
  readonly config?: C
  /**
   * `swap`: old and new run side by side. `exclusive`: the old one is torn down first (a folder, a
   * port). `restart`: only a new process will do.
   */
  readonly reload?: Plugin['reload']
  /** Names that no other plugin of a plan may define, by what they name: `{ event: ['a.b'] }`. */
  readonly claims?: NonNullable<Plugin['claims']>
  /** Pure; runs before validation. Returns the new raw config, or nothing to keep it. */
  readonly adjustConfig?: (raw: Readonly<Record<string, unknown>>, env: Env) => unknown
  readonly setup: (k: K) => void | Teardown
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
 * 8. teardowns, in reverse order
 *
 * If 3 or 5 fails, what was set up is torn down in reverse, and the previous generation keeps
 * serving.
 *
 * `definePlugin` of the sdk adds the hooks, tools, errors and events of agents.
 *
 * @example
 * export const greeter = definePlugin({
 *   name: 'greeter',
 *   version: '1.0.0',
 *   provides: [Greeter],
 *   config: z.object({ word: z.string().default('Hello') }),
 *   setup({ config, provide }) {
 *     provide(Greeter, () => ({ greet: (who) => `${config.word} ${who}` }))
 *   },
 * })
 */
export function definePlugin<
  C extends z.ZodType = z.ZodType<Readonly<Record<string, never>>, Readonly<Record<string, never>>>,
  R extends Tokens = Record<never, never>,
  O extends Tokens = Record<never, never>,
  const P extends Token = never,
  const W extends Slot<unknown> = never,
>(definition: PluginDefinition<C, R, O, P, W>): Plugin<z.input<C>> {
  return pluginOf(definition, (api) => api)
}

/**
 * Makes a plugin whose `setup` receives the result of `extend`: a layer above the kernel, such as
 * the sdk, adds its own methods to the setup API with it.
 */
export function pluginOf<
  C extends z.ZodType,
  R extends Tokens,
  O extends Tokens,
  P extends Token,
  W extends Slot<unknown>,
  K,
>(
  definition: PluginDefinition<C, R, O, P, W, K>,
  extend: (api: PluginApi) => object,
): Plugin<z.input<C>> {
  const { requires, optional, provides = [], decorates = [], after = [] } = definition
  const plugin: Plugin<z.input<C>> = {
    kernel: KERNEL_API,
    reload: 'swap',
    config: undefined,
    ...definition,
    requires: Object.freeze({ ...requires }),
    optional: Object.freeze({ ...optional }),
    provides: Object.freeze([...provides]),
    decorates: Object.freeze([...decorates]),
    after: Object.freeze([...after]),
    // The kernel passes config that was parsed by the schema of the definition, and deps that were
    // looked up by its tokens.
    setup: (api) => definition.setup(Object.freeze(extend(api)) as K),
  }
  return Object.freeze(Object.defineProperty(plugin, PLUGIN, { value: true }))
}
