import { mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import { err, messageOf, tryAsync, type Failure, type Result } from '@amodal/sdk'
import { textEnd } from '@amodal/sdk/data'
import { isInside } from '@amodal/plugin-repo-files/tokens'
import { ChangeInvalid } from '../errors.ts'
import { git } from '../git.ts'

/** Characters of what git says. */
const MOST_SHOWN = 500

/**
 * Writes an agent folder as it is in a commit. Nothing of the repository changes: neither its index
 * nor its working tree.
 *
 * @param root the agent folder, in a git repository
 * @param copy an empty folder
 */
export async function writeCommit(
  root: string,
  commit: string,
  copy: string,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  const where = `commit=${commit}`
  const prefix = await git(root, ['rev-parse', '--show-prefix'], signal)
  if (!prefix.ok)
    return err(ChangeInvalid(`${where}: ${root} is in no repository: ${shown(prefix.error)}`))
  const known = await git(root, ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], signal)
  if (!known.ok)
    return err(
      ChangeInvalid(`${where}: there is no such commit in the repository of ${root}; see git log`),
    )
  const folder = prefix.value.toString().trim().replace(/\/$/, '')
  const tree = `${known.value.toString().trim()}:${folder}`
  const listed = await git(root, ['ls-tree', '-r', '-z', '--full-tree', tree], signal)
  if (!listed.ok)
    return err(ChangeInvalid(`${where}: it has no folder ${folder}: ${shown(listed.error)}`))
  const files = listed.value
    .toString()
    .split('\0')
    .flatMap((line) => fileOf(line) ?? [])
  const contents = await git(
    root,
    ['cat-file', '--batch'],
    signal,
    files.map(({ id }) => id),
  )
  if (!contents.ok) return err(ChangeInvalid(`${where}: ${shown(contents.error)}`))
  return tryAsync(
    () => writeAll(files, contents.value, copy, signal),
    (cause) => ChangeInvalid(`${where}: ${messageOf(cause)}`, { cause }),
  )
}

const shown = (error: string): string => textEnd(error, MOST_SHOWN)

interface CommitFile {
  readonly mode: string
  readonly id: string
  readonly path: string
}

/** A line of `git ls-tree`: a submodule is none of the agent's files. */
function fileOf(line: string): CommitFile | undefined {
  const [, mode, id, path] = /^(\d+) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
  if (mode === undefined || id === undefined || path === undefined) return undefined
  return isAbsolute(path) || normalize(path).startsWith('..') ? undefined : { mode, id, path }
}

async function writeAll(
  files: readonly CommitFile[],
  contents: Buffer,
  copy: string,
  signal: AbortSignal,
): Promise<void> {
  let at = 0
  const links: string[] = []
  for (const { mode, path } of files) {
    signal.throwIfAborted()
    const end = contents.indexOf('\n', at)
    const [, size] = /^[0-9a-f]+ blob (\d+)$/.exec(contents.toString('utf8', at, end)) ?? []
    if (size === undefined) throw new Error(`git has no content of ${path}`)
    const content = contents.subarray(end + 1, end + 1 + Number(size))
    at = end + 1 + Number(size) + 1
    const file = join(copy, path)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    if (mode !== '120000') await writeFile(file, content)
    else if (!isAbsolute(content.toString())) {
      await symlink(content.toString(), file)
      links.push(file)
    }
  }
  // A link that leaves the folder is not copied.
  const root = await realpath(copy)
  for (const link of links) {
    const target = await realpath(link).catch(() => undefined)
    if (target === undefined || !isInside(root, target)) await rm(link)
  }
}
