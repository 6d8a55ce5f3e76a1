import { createRequire } from 'node:module'
import type * as Diff from 'diff'

// Loaded by the first difference or patch.
const load = createRequire(import.meta.url)

export const diff = (): typeof Diff => load('diff') as typeof Diff
