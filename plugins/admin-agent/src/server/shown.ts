import { createRequire } from 'node:module'
import type * as Diff from 'diff'
import type { JsonObject } from '@amodal/sdk'
import type { AppliedChange, FileChange } from '@amodal/plugin-repo-files/tokens'
import { carriesRights } from '../repo/repo-path.ts'
import { lineOf, type RightsReport } from '@amodal/plugin-rights/tokens'

/** Lines around a change. */
const CONTEXT = 3

// Loaded by the first change that is shown.
const load = createRequire(import.meta.url)

/** A changed file with its lines; a line begins with `+`, `-` or a space. */
export function fileShown({ after, before, path }: FileChange): JsonObject {
  const { structuredPatch } = load('diff') as typeof Diff
  const { hunks } = structuredPatch(path, path, before ?? '', after ?? '', undefined, undefined, {
    context: CONTEXT,
  })
  return {
    path,
    kind: kindOf(before, after),
    carries_rights: carriesRights(path),
    hunks: hunks.map(({ lines, newStart, oldStart }) => ({
      old_start: oldStart,
      new_start: newStart,
      lines,
    })),
  }
}

const kindOf = (before: string | null, after: string | null): string => {
  if (before === null) return 'added'
  return after === null ? 'removed' : 'changed'
}

/** An accepted change as clients get it. */
export const appliedShown = ({ at, files, id, principal, session, undoes }: AppliedChange) => ({
  id,
  at: new Date(at).toISOString(),
  session_id: session === '' ? null : session,
  principal,
  files: files.map(({ after, before, path }) => ({ path, kind: kindOf(before, after) })),
  undoes: undoes ?? null,
})

/** What a change does to rights, each line with the text that people read. */
export const rightsShown = ({ changes, ...report }: RightsReport): JsonObject => ({
  ...report,
  changes: changes.map((change) => ({ ...change, line: lineOf(change) })),
})
