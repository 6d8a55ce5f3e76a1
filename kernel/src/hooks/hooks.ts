import type { PluginError } from '../errors.ts'
import type { Result } from '../result.ts'
import type { TurnContext } from '../loop/context.ts'
import { kernelHooks } from './catalog.ts'
import { Hook } from './hook.ts'
import type { HookRunner } from './runner.ts'
import type { HookKind, HookSpec, HookToken, SyncKind } from './spec.ts'

/** The value of one tap of a `collect` hook. */
export interface Collected<R> {
  readonly plugin: string
  readonly value: R
}

type Outcome<K extends HookKind, R> = K extends 'observe' | 'series' | 'parallel'
  ? void
  : K extends 'bail'
    ? R | undefined
    : K extends 'collect'
      ? readonly Collected<R>[]
      : R

type Called<K extends HookKind, R> = K extends SyncKind
  ? Result<Outcome<K, R>, PluginError>
  : Promise<Result<Outcome<K, R>, PluginError>>

/**
 * A hook for its caller. `call` never throws; asynchronous kinds return a promise that never
 * rejects.
 */
export interface Callable<K extends HookKind, A extends readonly unknown[], R> {
  /** Ask before preparing arguments. */
  readonly tapped: boolean
  /** The plugin whose tap runs now; synchronous hooks only. */
  readonly running: string | undefined
  readonly call: (...args: A) => Called<K, R>
}

export type CallableOf<S> =
  S extends HookSpec<infer K, infer A, infer R> ? Callable<K, A, R> : never
/** A table of hooks, to call. */
export type Wired<T> = {
  readonly [K in keyof T]: T[K] extends HookSpec ? CallableOf<T[K]> : Wired<T[K]>
}

const KERNEL_HOOKS = kernelHooks<TurnContext>()

/** `generation.hooks`: the hooks that the kernel calls. */
export interface Hooks extends Wired<typeof KERNEL_HOOKS> {}

/** Hooks by group; the name of a hook is its path. */
export interface HookTable {
  readonly [key: string]: HookSpec | HookTable
}

/** A table with each hook mapped to another value. */
export function mapHooks(
  table: HookTable,
  make: (hook: HookToken) => object,
  path = '',
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(table).map(([key, node]) => [
    key,
    'policy' in node
      ? make({ name: path + key, spec: node as HookSpec })
      : mapHooks(node, make, `${path}${key}.`),
  ])
  return Object.freeze(Object.fromEntries(entries)) as Readonly<Record<string, unknown>>
}

/** All hooks of one generation, by name; those of the kernel by group, too. */
export class HookSet {
  readonly all = new Map<string, Hook>()
  readonly hooks: Hooks
  readonly #runner: HookRunner
  readonly #failed: (error: PluginError) => void

  constructor(runner: HookRunner, failed: (error: PluginError) => void) {
    this.#runner = runner
    this.#failed = failed
    // Built from the table from which the type is derived.
    this.hooks = mapHooks(KERNEL_HOOKS, (hook) => this.of(hook)) as unknown as Hooks
  }

  of(token: HookToken): Hook {
    const hook = this.all.get(token.name) ?? new Hook(token, this.#runner, this.#failed)
    this.all.set(token.name, hook)
    return hook
  }
}
