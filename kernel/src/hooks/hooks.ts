import type { PluginError } from '../errors.ts'
import type { Result } from '../result.ts'
import { HOOKS } from './catalog.ts'
import { Hook, type HookReports } from './hook.ts'
import type { HookRunner } from './runner.ts'
import type { HookKind, HookSpec, SyncKind, TapFunction } from './spec.ts'
import type { Stage } from './stage.ts'

export interface TapOptions { readonly stage?: Stage }

/** A hook as plugins see it. */
export interface Tappable<S extends HookSpec> {
  /** Registers a tap; only inside `setup`. */
  readonly tap: (fn: TapFunction<S>, options?: TapOptions) => void
}

/** What one tap of a `collect` hook made. */
export interface Collected<R> { readonly plugin: string; readonly value: R }

type Outcome<K extends HookKind, R> =
  K extends 'observe' | 'series' | 'parallel' ? void
    : K extends 'bail' ? R | undefined
      : K extends 'collect' ? readonly Collected<R>[]
        : R

type Called<K extends HookKind, R> = K extends SyncKind ? Result<Outcome<K, R>, PluginError> : Promise<Result<Outcome<K, R>, PluginError>>

/** A hook as the kernel calls it. Never throws; asynchronous kinds return a promise that never rejects. */
export interface Callable<K extends HookKind, A extends readonly unknown[], R> {
  /** Ask before preparing arguments. */
  readonly tapped: boolean
  /** The plugin whose tap runs now; synchronous hooks only. */
  readonly running: string | undefined
  readonly call: (...args: A) => Called<K, R>
}

type Face<T> = { readonly [K in keyof T]: T[K] extends HookSpec ? Tappable<T[K]> : Face<T[K]> }
export type CallableOf<S> = S extends HookSpec<infer K, infer A, infer R> ? Callable<K, A, R> : never
type Wired<T> = { readonly [K in keyof T]: T[K] extends HookSpec ? CallableOf<T[K]> : Wired<T[K]> }

/** `k.hooks`: every hook of the catalogue, to tap. */
export interface HookTaps extends Face<typeof HOOKS> {}
/** `generation.hooks`: every hook of the catalogue, to call. */
export interface Hooks extends Wired<typeof HOOKS> {}

/** A hook that a plugin publishes in its `tokens.ts`, beside the closed catalogue. */
export interface HookToken<S extends HookSpec = HookSpec> { readonly name: string; readonly spec: S }

/**
 * Publishes a hook of a plugin's own. Others tap it with `k.tap(token, fn)`; the owner calls it with
 * `k.generation().hook(token).call(…)`. Attribution, deadlines and `inspect` are those of the catalogue.
 *
 * @example
 * export const TriggerFired = defineHook('automations.fired', parallel<[name: string]>({ onError: 'skip', timeoutMs: 5_000 }))
 */
export function defineHook<S extends HookSpec>(name: string, spec: S): HookToken<S> {
  return Object.freeze({ name, spec })
}

interface Table { readonly [key: string]: HookSpec | Table }

const isSpec = (node: HookSpec | Table): node is HookSpec => 'policy' in node

function mapTable(table: Table, make: (name: string, spec: HookSpec) => object, path = ''): Readonly<Record<string, unknown>> {
  return Object.freeze(Object.fromEntries(Object.entries(table).map(([key, node]) =>
    [key, isSpec(node) ? make(path + key, node) : mapTable(node, make, `${path}${key}.`)])))
}

/** All hooks of one generation, by group and by name. */
export class HookSet {
  readonly all = new Map<string, Hook>()
  readonly hooks: Hooks
  readonly #make: (name: string, spec: HookSpec) => Hook

  constructor(runner: HookRunner, reports: HookReports) {
    this.#make = (name, spec) => {
      const hook = new Hook(name, spec, runner, reports)
      this.all.set(name, hook)
      return hook
    }
    // Made from the very table that the type is made from.
    this.hooks = mapTable(HOOKS, this.#make) as unknown as Hooks
  }

  of(token: HookToken): Hook {
    return this.all.get(token.name) ?? this.#make(token.name, token.spec)
  }
}

/** The face of all hooks for one plugin; `record` is told of each tap. */
export function hookTaps(record: (hook: HookToken, fn: TapFunction<HookSpec>, options?: TapOptions) => void): HookTaps {
  const face = mapTable(HOOKS, (name, spec) => Object.freeze({
    tap: (fn: TapFunction<HookSpec>, options?: TapOptions) => record({ name, spec }, fn, options),
  }))
  return face as unknown as HookTaps
}
