import {
  mapHooks,
  pluginOf,
  type Deps,
  type HookSpec,
  type HookToken,
  type OptionalDeps,
  type Plugin,
  type PluginDefinition as KernelDefinition,
  type SetupApi as KernelApi,
  type Slot,
  type Tap,
  type Tappable,
  type TapOptions,
  type Token,
  type Tokens,
} from '@amodal/kernel'
import type { z } from 'zod'
import { EventKinds, type EventKind } from './define-event.ts'
import { ErrorKinds, isKnownCode, type ErrorKind } from './errors.ts'
import { HOOKS } from './hooks/catalog.ts'
import type { Reach } from './packages/capabilities.ts'
import { Tools, type ToolDefinition, type ToolSource } from './ports/tool.ts'

type TapTable<T> = {
  readonly [K in keyof T]: T[K] extends HookSpec ? Tappable<T[K]> : TapTable<T[K]>
}
/** `k.hooks`: every hook of the catalogue, to tap. */
export interface HookTaps extends TapTable<typeof HOOKS> {}

/** What `setup` is given: what the kernel gives, and the hooks and tools of agents. */
export interface SetupApi<C = unknown, D = unknown, P = Token, W = Slot<unknown>> extends KernelApi<
  C,
  D,
  P,
  W
> {
  readonly hooks: HookTaps
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
}

export interface PluginDefinition<
  C extends z.ZodType,
  R extends Tokens,
  O extends Tokens,
  P extends Token,
  W extends Slot<unknown>,
> extends KernelDefinition<C, R, O, P, W, SetupApi<z.output<C>, Deps<R> & OptionalDeps<O>, P, W>> {
  /** The kinds of failures that it has of its own. */
  readonly errors?: readonly ErrorKind[]
  /** The events that it has of its own; their types begin with its name and a dot. */
  readonly events?: readonly EventKind[]
  /** What it reaches outside of the kernel; its package.json says so, and is held to that. */
  readonly reaches?: Reach
}

/**
 * Makes a plugin of an agent: a frozen constant, exported once. Its config is data, given in the
 * list (`use(memory, { maxEntries: 20 })`), so that plans can be compared, reloaded and printed.
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
  const { errors = [], events = [], claims } = definition
  const own = {
    'error code': errors.map(({ code }) => code),
    'event type': events.map(({ type }) => type),
  }
  return pluginOf({ ...definition, claims: { ...own, ...claims } }, (k) => {
    for (const kind of errors) k.add(ErrorKinds, ownCode(kind), kind)
    for (const kind of events) k.add(EventKinds, ownType(definition.name, kind), kind)
    const hooks = mapGroupsWhenRead((hook) =>
      Object.freeze({ tap: (fn: Tap['fn'], options?: TapOptions) => k.tap(hook, fn, options) }),
    )
    const addTool = (tool: ToolDefinition): void =>
      k.add(Tools, tool.name, { tools: () => [tool] } satisfies ToolSource)
    return { ...k, hooks, addTool }
  })
}

/** Hooks by group, each of which is made when it is read: a plugin taps few of them. */
function mapGroupsWhenRead(make: (hook: HookToken) => object): Readonly<Record<string, unknown>> {
  const mapped: Record<string, unknown> = {}
  for (const [key, hooks] of Object.entries(HOOKS)) {
    let group: unknown
    const get = (): unknown => (group ??= mapHooks({ [key]: hooks }, make)[key])
    Object.defineProperty(mapped, key, { enumerable: true, get })
  }
  return Object.freeze(mapped)
}

function ownCode({ code }: ErrorKind): string {
  if (isKnownCode(code)) throw new Error(`the code ${code} is one of Amodal's own: choose another`)
  if (/^[A-Z][A-Z0-9_]*$/.test(code)) return code
  throw new Error(`"${code}" is no code: use capital letters, digits and _`)
}

function ownType(plugin: string, { type }: EventKind): string {
  if (type.startsWith(`${plugin}.`) && /^[a-z0-9-]+\.[a-z0-9_]{1,60}$/.test(type)) return type
  throw new Error(
    `"${type}" is no type for an event of ${plugin}: write "${plugin}.something_happened"`,
  )
}
