import type { Seed } from './container.ts'
import type { PluginError } from './errors.ts'
import type { WiredGeneration } from './generation.ts'
import type { Tracer } from './hooks/hook.ts'
import type { HookRunner } from './hooks/runner.ts'
import type { Env } from './plugin.ts'
import { slot } from './token.ts'

/** A failure as it is kept: plain, so that it holds on to nothing. */
export type RecordedError = Pick<PluginError, 'plugin' | 'phase' | 'where' | 'code' | 'message'> & {
  readonly at: number
}

/**
 * What a kernel is made of and how it fares, as it stands: live objects, and config with its
 * secrets. `inspectionOf(kernel)` of the sdk makes JSON of it that is safe to show.
 */
export interface KernelFacts {
  readonly generation: WiredGeneration
  readonly runner: HookRunner['name']
  readonly services: readonly Seed[]
  readonly errors: readonly RecordedError[]
  readonly changes: Tracer['changes']
  readonly env: Env
}

/** What the running kernel is made of. Provided by the kernel itself. */
export interface Inspector {
  facts(): KernelFacts
}
export const Inspector = slot.kernel<Inspector>('inspector')
