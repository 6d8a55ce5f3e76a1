import { KERNEL_CODES, type Code, type KernelCode, type PluginError } from './errors.ts'
import type { Env, Plugin, UseOptions } from './plugin.ts'
import type { Slot } from './token.ts'

export interface PlanOptions {
  /** For `adjustConfig`. */
  readonly env?: Env
  /** Plugins that may be removed only with `unsafe: true`. */
  readonly pinned?: readonly string[]
  /** Hook → plugins that must tap it, or the kernel does not boot. */
  readonly mustTap?: Plan['mustTap']
  /** Slot id → names of plugins that could fill it, for the fix of a missing one. */
  readonly builtinProviders?: Readonly<Record<string, readonly string[]>>
  /** Slots that are provided from outside, in addition to those of the kernel. */
  readonly given?: readonly Slot<unknown>[]
}

/** Why a list of plugins cannot run. */
export interface PlanProblem {
  readonly code: Code
  /** Names of the plugins concerned, the one at fault first. */
  readonly plugins: readonly string[]
  readonly message: string
  /** The next step. */
  readonly fix: string
}

/** Why a kernel did not start, or a reload was refused. `explain` of the sdk formats it. */
export type KernelError =
  | { readonly kind: 'plan'; readonly problems: readonly PlanProblem[] }
  | { readonly kind: 'plugin'; readonly error: PluginError }

export function problem(
  code: KernelCode,
  plugins: readonly string[],
  message: string,
  fix: string = KERNEL_CODES[code],
): PlanProblem {
  return { code, plugins, message, fix }
}

/** Collects a problem of the plan; takes the arguments of `problem`. */
export type Report = (...args: Parameters<typeof problem>) => void

/** An entry after later entries were merged into it; `name` is its `as`, or its plugin's name. */
export interface Listed {
  readonly name: string
  readonly plugin: Plugin
  readonly config: unknown
  readonly options: UseOptions
}

/** A plugin in its place. `config` is parsed and frozen. */
export interface PlannedPlugin extends Listed {
  /** Config before parsing, after `adjustConfig`. */
  readonly raw: unknown
  /** Slot id → its provider, then its decorators. A reload compares them. */
  readonly needs: ReadonlyMap<string, readonly string[]>
}

/**
 * `to` is set up after `from`, for this reason. With `needs` and `wraps`, `to` cannot run without
 * `from`.
 */
export interface PlanEdge {
  readonly from: string
  readonly to: string
  readonly kind: 'needs' | 'wraps' | 'uses' | 'after'
  readonly reason: string
}

/** The ordered plugins and the reasons of their order: pure data. */
export interface Plan {
  readonly plugins: readonly PlannedPlugin[]
  readonly edges: readonly PlanEdge[]
  /** Slot id → plugin; `kernel` for the services of the kernel. */
  readonly providers: ReadonlyMap<string, string>
  /** Slot id → plugins that wrap it, innermost first. */
  readonly decorators: ReadonlyMap<string, readonly string[]>
  /** Hook → plugins that must tap it. */
  readonly mustTap: Readonly<Record<string, readonly string[]>>
  /** Logged at every start, such as a pinned plugin that was removed. */
  readonly warnings: readonly string[]
  /** `after db-pglite (needs memory-store)`. */
  why(name: string): string
}
