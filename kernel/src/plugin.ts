import type { z } from 'zod'
import type { Teardown } from './blame.ts'
import type { Scope } from './container.ts'
import type { Tap } from './hooks/hook.ts'
import type { PluginError } from './errors.ts'
import type { CallableOf, Hooks } from './hooks/hooks.ts'
import type { HookSpec, HookToken, TapOptions } from './hooks/spec.ts'
import type { Logger } from './ports/log.ts'
import type { Registry, Slot, Token } from './token.ts'

/**
 * The version of the plugin API; a plugin for another one is refused while planning.
 */
export const KERNEL_API = 1

/** On every plugin. It works across two copies of the kernel, where `instanceof` does not. */
export const PLUGIN: unique symbol = Symbol.for('amodal.plugin')

export type Env = Readonly<Record<string, string | undefined>>
export type Tokens = Readonly<Record<string, Token>>

/**
 * A plugin as lists and plans contain it, created by `definePlugin`. `Config`: the input type of
 * its schema.
 */
export interface Plugin<Config = unknown> {
  /** A type only: no value is stored here. */
  readonly configType?: Config
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
  /** Names that no other plugin of a plan may define, by what they name. */
  readonly claims?: Readonly<Record<string, readonly string[]>>
  adjustConfig?(raw: unknown, env: Env): unknown
  setup(k: PluginApi): void | Teardown
}

/**
 * One wiring of one plan, as plugins and turns see it. It does not change: after a reload new turns
 * use the next one.
 */
export interface Generation {
  readonly id: number
  /** The kernel scope. */
  readonly scope: Scope
  readonly hooks: Hooks
  readonly log: Logger
  /**
   * Aborts before its plugins are torn down: no turn begins, and a turn in progress hands its run
   * over at its last commit.
   */
  readonly signal: AbortSignal
  /** The entries of a registry, in plan order. The same map each time. */
  registry<T>(token: Registry<T>): ReadonlyMap<string, T>
  /** The plugin that added an entry: it is named when the entry fails. */
  ownerOf(token: Registry<unknown>, key: string): string
  /** A hook that a plugin publishes. */
  hook<S extends HookSpec>(token: HookToken<S>): CallableOf<S>
  /** Number of turns that use it. */
  readonly held: number
  /** Keeps this wiring alive until the returned function is called. */
  acquire(): () => void
  /** Reports a failure of one of its plugins. */
  report(error: PluginError): void
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
  /** Registers a teardown; teardowns run in reverse order when the plugin is torn down. */
  onDispose(undo: Teardown): void
  /** Adds `plugin: name`. Lines written before there is a log are buffered until there is one. */
  readonly log: Logger
  /** The wiring that this plugin belongs to now. */
  generation(): Generation
}

export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && PLUGIN in value
}

/**
 * The capabilities that a package declares for its plugin: ids of slots, registries and hooks. A
 * missing list is empty.
 */
export interface Capabilities {
  /** Slots and registries that it requires, optional ones included. */
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
   * A failing setup or boot removes the plugin and its dependants, with a warning. Never for
   * guards.
   */
  readonly optional?: boolean
  /** May tap at `seal`. */
  readonly trusted?: boolean
  /** Where it came from, for inspection: a preset, a path, a package. */
  readonly source?: string
  /** All that the plugin may use; default: no restriction. */
  readonly capabilities?: Capabilities
  /** Runs although it requires another version of the kernel or of a slot, with a warning. */
  readonly ignoreCompat?: boolean
}

interface Addition {
  readonly plugin: Plugin
  readonly config: unknown
  readonly options: UseOptions
}

/** One line of a list; `use`, `replace` and `without` of the sdk make them. */
export type Entry =
  | ({ readonly kind: 'use' } & Addition)
  | ({ readonly kind: 'replace'; readonly name: string } & Addition)
  | { readonly kind: 'without'; readonly name: string; readonly unsafe: boolean }
