import type * as Diff from 'diff'
import { err, messageOf, ok, trySync, type Failure, type Result } from '@amodal/sdk'
import { diff } from '../diff.ts'
import { WorkspaceEditRefused } from '../errors.ts'

const MOST_FILES = 100
const NO_FILE = '/dev/null'

/** What a patch does to one file. */
export interface FileChange {
  /** `undefined`: the file is created. */
  readonly from?: string
  /** `undefined`: the file is removed. */
  readonly to?: string
  /** `undefined`: the content stays as it is. */
  readonly hunks?: Diff.StructuredPatch
}

/**
 * Reads a unified diff, in the form of git too: files that are changed, created (from `/dev/null`),
 * removed (to `/dev/null`) or renamed.
 */
export function readPatch(text: string): Result<readonly FileChange[], Failure> {
  const parsed = trySync(() => diff().parsePatch(text), messageOf)
  if (!parsed.ok) return err(WorkspaceEditRefused(`the patch cannot be read: ${parsed.error}`))
  const changes: FileChange[] = [...plainRenames(text)]
  for (const hunks of parsed.value) {
    if (hunks.hunks.length === 0) continue
    const from = nameIn(hunks.oldFileName, 'a/')
    const to = nameIn(hunks.newFileName, 'b/')
    if (from === undefined && to === undefined)
      return err(WorkspaceEditRefused('a part of the patch has no `---` and `+++` lines'))
    changes.push({ hunks, ...(from !== undefined && { from }), ...(to !== undefined && { to }) })
  }
  if (changes.length === 0)
    return err(WorkspaceEditRefused('the patch changes nothing: write a unified diff'))
  if (changes.length > MOST_FILES)
    return err(WorkspaceEditRefused(`the patch changes more than ${MOST_FILES} files`))
  const names = changes.flatMap(({ from, to }) => [...new Set([from, to])].filter(isName))
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  return repeated === undefined
    ? ok(changes)
    : err(WorkspaceEditRefused(`the patch names ${JSON.stringify(repeated)} in several parts`))
}

/** The text after the change; `undefined` where it does not apply. */
export function patched(text: string, { hunks }: FileChange): string | undefined {
  if (!hunks) return text
  const outcome = diff().applyPatch(text, hunks)
  return outcome === false ? undefined : outcome
}

/** Renames without any hunk, which the library leaves out. */
function plainRenames(text: string): readonly FileChange[] {
  return text
    .split(/^(?=diff --git )/m)
    .filter((part) => !/^--- /m.test(part))
    .flatMap((part) => {
      const from = /^rename from (.+?)\r?$/m.exec(part)?.[1]
      const to = /^rename to (.+?)\r?$/m.exec(part)?.[1]
      return from !== undefined && to !== undefined ? [{ from, to }] : []
    })
}

function nameIn(name: string | undefined, prefix: string): string | undefined {
  if (name === undefined || name === NO_FILE) return undefined
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}

const isName = (name: string | undefined): name is string => name !== undefined
