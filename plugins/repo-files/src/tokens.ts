import { registry, slot, type BundleIssue } from '@amodal/sdk'

import type { Edits } from './edits.ts'

export { readDocument, type AgentDocument } from './document.ts'

/**
 * The edits of each folder, and the files that are in use of it. Filled by whoever exchanges this
 * plugin in a running agent: the next one then knows the last good version of what is held back.
 * Without it a plugin that is set up anew knows of no edit.
 */
export type KeptEdits = Map<string, Edits>
export const KeptEdits = slot.kernel<KeptEdits>('kept-edits')

/** Files that `amodal init` offers to write beside those of every new agent. */
export interface StarterOffer {
  /** What a person at the terminal is asked, such as `Test it in GitHub Actions?`. */
  readonly question: string
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

/** What a new agent may begin with, by the name that `amodal init --with NAME` takes. */
export const StarterOffers = registry<StarterOffer>('starter-offers')

// Readers of single files, for a plugin that reads texts which stand in for them.
export { readInstructions, refuseUnreadInstructions } from './instructions.ts'
export { readKnowledge } from './knowledge.ts'
export { readSkills } from './skills.ts'

/** Checks any folder as `amodal validate --skip-test` does. */
export interface FolderCheck {
  /** @returns all that is wrong with it; nothing outside is asked */
  check(dir: string, signal: AbortSignal): Promise<readonly BundleIssue[]>
}
export const FolderCheck = slot.kernel<FolderCheck>('folder-check')

export { copyEnvironment, copyFolder, isInside } from './copy-folder.ts'

export {
  appliedFile,
  applyChange,
  CHANGES,
  newChangeId,
  textAt,
  writeWhole,
  type AppliedChange,
  type FileChange,
} from './folder-change.ts'
