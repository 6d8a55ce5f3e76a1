import { err, ok, type Result } from '@amodal/sdk'
import { git } from '../git.ts'

/**
 * The files of a folder that differ from a commit: changed, removed, and new ones that git does not
 * ignore.
 *
 * @param ref a commit, branch or tag
 * @returns paths below the folder, or what git says in a line
 */
export async function changedFiles(
  folder: string,
  ref: string,
  signal: AbortSignal,
): Promise<Result<readonly string[], string>> {
  // Behind `--end-of-options`, a name that begins with `-` is no option.
  const commit = await output(
    folder,
    ['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`],
    signal,
  )
  if (!commit.ok) return commit
  // `--no-renames`: the old name of a file is one that differs, too.
  const changed = await output(
    folder,
    ['diff', '--name-only', '--no-renames', '--relative', '-z', commit.value.trim(), '--', '.'],
    signal,
  )
  if (!changed.ok) return changed
  const added = await output(
    folder,
    ['ls-files', '--others', '--exclude-standard', '-z', '--', '.'],
    signal,
  )
  if (!added.ok) return added
  return ok([...new Set(`${changed.value}${added.value}`.split('\0').filter(Boolean))].sort())
}

/** What git prints; its error is the first line of what it says. */
async function output(
  folder: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<Result<string, string>> {
  const ran = await git(folder, args, signal)
  if (ran.ok) return ok(ran.value.toString())
  const line = ran.error.split('\n').find((one) => one.trim() !== '') ?? ''
  return err(`git ${args[0] ?? ''}: ${line.trim()}`)
}
