import {
  KERNEL_API,
  mapHooks,
  PLUGIN,
  type Env,
  type Generation,
  type HookSpec,
  type HookToken,
  type Plugin,
  type PluginApi,
  type Registry,
  type Scope,
  type Slot,
  type Tap,
  type TapOptions,
  type Teardown,
  type Token,
  type Tokens,
} from '@amodal/kernel'
import type { z } from 'zod'
import type { TapFunction, Tappable } from './define-hook.ts'
import { HOOKS } from './hooks/catalog.ts'
import { Tools, type ToolDefinition, type ToolSource } from './ports/tool.ts'

export type ValueOf<T> = T extends Slot<infer V> ? V : never

/** Values of the kernel-scope slots in a record; the others are looked up where they live. */
export type Deps<R extends Tokens> = {
  readonly [K in keyof R as R[K] extends Slot<unknown, 'kernel'> ? K : never]: ValueOf<R[K]>
}
export type OptionalDeps<O extends Tokens> = {
  readonly [K in keyof O as O[K] extends Slot<unknown, 'kernel'> ? K : never]:
    ValueOf<O[K]> | undefined
}

type Face<T> = { readonly [K in keyof T]: T[K] extends HookSpec ? Tappable<T[K]> : Face<T[K]> }
/** `k.hooks`: every hook of the catalogue, to tap. */
export interface HookTaps extends Face<typeof HOOKS> {}

/**
 * What `setup` is given. Everything but `onDispose`, `log` and `generation` is closed once `setup`
 * has returned.
 */
export interface SetupApi<C = unknown, D = unknown, P = Token, W = Slot<unknown>> extends Omit<
  PluginApi,
  'config' | 'deps' | 'tap' | 'provide' | 'add' | 'decorate' | 'generation'
> {
  /** Parsed and frozen. */
  readonly config: C
  /**
   * The kernel-scope slots among `requires` and `optional`. Registries are read per use: `ctx` or
   * `generation().registry(T)`.
   */
  readonly deps: D
  readonly hooks: HookTaps
  /** Taps a hook that another plugin publishes (`defineHook`). */
  readonly tap: <S extends HookSpec>(
    hook: HookToken<S>,
    fn: TapFunction<S>,
    options?: TapOptions,
  ) => void
  /**
   * Fills a slot of `provides`. The factory runs when the service is first asked for, once per
   * scope of its kind.
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
  /**
   * Gives the agent one tool. Those that are made from the agent's files come from a source:
   * `add(Tools, 'mine', { tools: (bundle) => … })`.
   *
   * @example
   * addTool(
   *   defineTool({
   *     name: 'roll',
   *     description: 'Rolls a die.',
   *     readOnly: true,
   *     input: z.object({}),
   *     execute: () => Promise.resolve({ status: 'success', output: 4 }),
   *   }),
   * )
   */
  readonly addTool: (tool: ToolDefinition) => void
  /** Wraps a slot of `decorates`. */
  readonly decorate: <S extends W & Slot<unknown>>(
    slot: S,
    wrap: (inner: ValueOf<S>) => ValueOf<S>,
  ) => void
  /**
   * The wiring this plugin belongs to now: it changes with a reload, so ask each time. Throws
   * inside `setup`.
   */
  readonly generation: () => Generation
}

export interface PluginDefinition<
  C extends z.ZodType,
  R extends Tokens,
  O extends Tokens,
  P extends Token,
  W extends Slot<unknown>,
> {
  /** Kebab-case, unique in a plan. */
  readonly name: string
  readonly version: string
  /** API major; this kernel's where it is left out. */
  readonly kernel?: number
  /** What must exist. Kernel-scope slots arrive in `k.deps`. */
  readonly requires?: R
  /** What is used where it exists. */
  readonly optional?: O
  /**
   * Slots this plugin fills, checked against what `setup` did; registries listed here only order it
   * before those who require them.
   */
  readonly provides?: readonly P[]
  /** Slots this plugin wraps. */
  readonly decorates?: readonly W[]
  /** Plugins to stand behind, where they are present. */
  readonly after?: readonly string[]
  readonly config?: C
  /**
   * `swap`: new beside old. `exclusive`: the old one is torn down first (a folder, a port).
   * `restart`: only a new process will do.
   */
  readonly reload?: Plugin['reload']
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
 * If 3 or 5 fails, what was set up is torn down in reverse, and the previous generation keeps
 * serving.
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
    setup(k) {
      const hooks = mapHooks(HOOKS, (hook) =>
        Object.freeze({ tap: (fn: Tap['fn'], options?: TapOptions) => k.tap(hook, fn, options) }),
      )
      const addTool = (tool: ToolDefinition): void =>
        k.add(Tools, tool.name, { tools: () => [tool] } satisfies ToolSource)
      // The kernel hands in what the definition asked for: config parsed by its schema, deps by its
      // tokens.
      return definition.setup(
        Object.freeze({ ...k, hooks, addTool }) as unknown as Parameters<
          typeof definition.setup
        >[0],
      )
    },
  }
  return Object.freeze(Object.defineProperty(plugin, PLUGIN, { value: true }))
}
