import type { Seed } from './container.ts'
import type { PluginError } from './errors.ts'
import type { WiredGeneration } from './generation.ts'
import type { Tracer } from './hooks/hook.ts'
import type { HookRunner } from './hooks/runner.ts'
import type { Env } from './plugin.ts'
import { slot } from './token.ts'

/** A recorded failure: plain data, so that it retains no other object. */
export type RecordedError = Pick<PluginError, 'plugin' | 'phase' | 'where' | 'code' | 'message'> & {
  readonly at: number
}

/**
 * The parts and the state of a kernel: live objects, and config with its secrets.
 * `inspectionOf(kernel)` of the sdk returns it as JSON that is safe to show.
 */
export interface KernelFacts {
  readonly generation: WiredGeneration
  readonly runner: HookRunner['name']
  readonly services: readonly Seed[]
  readonly errors: readonly RecordedError[]
  readonly changes: Tracer['changes']
  readonly env: Env
}

/** Facts about the running kernel. Provided by the kernel itself. */
export interface Inspector {
  facts(): KernelFacts
}
export const Inspector = slot.kernel<Inspector>('inspector')
