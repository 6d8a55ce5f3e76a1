import { execFile } from 'node:child_process'
import { err, ok, type Result } from '@amodal/sdk'

/** ms that git is given. */
const PATIENCE = 30_000
const MAX_BYTES = 64 * 1024 * 1024

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
  const commit = await git(
    folder,
    ['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`],
    signal,
  )
  if (!commit.ok) return commit
  // `--no-renames`: the old name of a file is one that differs, too.
  const changed = await git(
    folder,
    ['diff', '--name-only', '--no-renames', '--relative', '-z', commit.value.trim(), '--', '.'],
    signal,
  )
  if (!changed.ok) return changed
  const added = await git(
    folder,
    ['ls-files', '--others', '--exclude-standard', '-z', '--', '.'],
    signal,
  )
  if (!added.ok) return added
  return ok([...new Set(`${changed.value}${added.value}`.split('\0').filter(Boolean))].sort())
}

function git(
  folder: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<Result<string, string>> {
  return new Promise((resolve) => {
    execFile(
      'git',
      ['-C', folder, ...args],
      { signal, timeout: PATIENCE, maxBuffer: MAX_BYTES, encoding: 'utf8' },
      (error, stdout, stderr) => {
        if (!error) return resolve(ok(stdout))
        const line = stderr.split('\n').find((one) => one.trim() !== '') ?? error.message
        resolve(err(`git ${args[0] ?? ''}: ${line.trim()}`))
      },
    )
  })
}
