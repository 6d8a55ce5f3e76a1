import type { Shape } from './shape.ts'

/** Forms of answers that were written down when the reading of answers was done. */
export const FRESH: readonly Shape[] = []
