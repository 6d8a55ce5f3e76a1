import type { KernelFacts } from './kernel.ts'
import { slot } from './token.ts'

/** What the running kernel is made of. Provided by the kernel itself. */
export interface Inspector {
  facts(): KernelFacts
}
export const Inspector = slot.kernel<Inspector>('inspector')
