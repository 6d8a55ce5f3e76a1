import { slot } from '@amodal/sdk'
import type { Edits } from './edits.ts'

/**
 * The edits of each folder, and the files that are in use of it. Filled by whoever exchanges this
 * plugin in a running agent: the next one then knows the last good version of what is held back.
 * Without it a plugin that is set up anew knows of no edit.
 */
export type KeptEdits = Map<string, Edits>
export const KeptEdits = slot.kernel<KeptEdits>('kept-edits')
