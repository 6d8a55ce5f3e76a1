import type { Inspection } from '../inspect.ts'
import { slot } from '../token.ts'

/** The plugin graph of the running kernel, as data. Provided by the kernel itself. */
export interface Inspector { inspect(): Inspection }
export const Inspector = slot.kernel<Inspector>('inspector')
