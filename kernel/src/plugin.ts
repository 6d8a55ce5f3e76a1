import type { z } from 'zod'
import type { Teardown } from './blame.ts'
import type { Scope } from './container.ts'
import type { Tap } from './hooks/hook.ts'
import type { HookToken, TapOptions } from './hooks/spec.ts'
import type { Logger } from './ports/log.ts'
import type { Registry, Slot, Token } from './token.ts'

/**
 * The plugin API that this kernel speaks; a plugin made for another one is refused while planning.
 */
export const KERNEL_API = 1

/** On every plugin. It works across two copies of the kernel, where `instanceof` does not. */
export const PLUGIN: unique symbol = Symbol.for('amodal.plugin')

export type Env = Readonly<Record<string, string | undefined>>
export type Tokens = Readonly<Record<string, Token>>

/**
 * A plugin as lists and plans hold it. Made by `definePlugin` of the sdk, which describes each
 * part. `Config`: what its schema takes.
 */
export interface Plugin<Config = unknown> {
  /** For types alone: nothing stands there. */
  readonly takes?: Config
  readonly name: string
  readonly version: string
  readonly kernel: number
  readonly requires: Tokens
  readonly optional: Tokens
  readonly provides: readonly Token[]
  readonly decorates: readonly Slot<unknown>[]
  readonly after: readonly string[]
  readonly config: z.ZodType | undefined
  readonly reload: 'swap' | 'exclusive' | 'restart'
  adjustConfig?(raw: unknown, env: Env): unknown
  setup(k: PluginApi): void | Teardown
}

/**
 * What `setup` is given, without its types. Everything but `onDispose`, `log` and `generation` is
 * closed once `setup` has returned.
 */
export interface PluginApi {
  readonly name: string
  readonly config: unknown
  readonly deps: unknown
  tap(hook: HookToken, fn: Tap['fn'], options?: TapOptions): void
  provide(slot: Slot<unknown>, make: (scope: Scope) => unknown): void
  add(
    registry: Registry<unknown>,
    key: string,
    value: unknown,
    options?: { readonly override?: true },
  ): void
  decorate(slot: Slot<unknown>, wrap: (inner: unknown) => unknown): void
  /**
   * Sockets, migrations, timers: in plan order, once per instance, 30 s. What it returns undoes it.
   */
  onBoot(boot: (signal: AbortSignal) => void | Teardown | Promise<void | Teardown>): void
  /** Undone last made first, when the plugin leaves. */
  onDispose(undo: Teardown): void
  /** Carries `plugin: name`. Lines written before there is a log are kept until there is one. */
  readonly log: Logger
  /** The `Generation` this plugin belongs to now. */
  generation(): unknown
}

export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && PLUGIN in value
}

/**
 * What a package says that its plugin does, by the ids of slots, registries and hooks. A list that
 * is left out is empty.
 */
export interface Capabilities {
  /** Slots and registries that it asks for, also where they are optional. */
  readonly requires?: readonly string[]
  readonly provides?: readonly string[]
  readonly decorates?: readonly string[]
  readonly taps?: readonly string[]
  /** Registries that it adds entries to. */
  readonly adds?: readonly string[]
}

export interface UseOptions {
  /** A name of its own, to use the same plugin twice. */
  readonly as?: string
  /**
   * A failing setup or boot drops the plugin and those who need it, with a warning. Never for
   * guards.
   */
  readonly optional?: boolean
  /** May tap at `seal`. */
  readonly trusted?: boolean
  /** Where it came from, for inspection: a preset, a path, a package. */
  readonly source?: string
  /** All that it may do; anything where nothing is said. */
  readonly capabilities?: Capabilities
}

/** One line of a list; `use`, `replace` and `without` of the sdk make them. */
export type Entry =
  | {
      readonly kind: 'use'
      readonly plugin: Plugin
      readonly config: unknown
      readonly options: UseOptions
    }
  | {
      readonly kind: 'replace'
      readonly name: string
      readonly plugin: Plugin
      readonly config: unknown
      readonly options: UseOptions
    }
  | { readonly kind: 'without'; readonly name: string; readonly unsafe: boolean }
