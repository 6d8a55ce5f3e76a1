import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { err, messageOf, ok, tryAsync, type Failure, type Result } from '@amodal/sdk'
import { copyEnvironment, copyFolder, isInside } from '@amodal/plugin-repo-files/tokens'
import { ChangeInvalid } from '../errors.ts'
import { applyKnowledge, applyPrompt, applySkill } from './apply-documents.ts'
import { applyModel, applySettings } from './apply-manifest.ts'
import { changeText, type Change } from './change.ts'
import { writeCommit } from './commit-files.ts'

/** Below the folder, so that packages beside it are found from the copy as from the folder. */
const PLACE = join('.amodal', 'changed')

/** A copy that is older was not removed, since its process was killed. */
const FORGOTTEN_MS = 7 * 24 * 60 * 60_000

/** A temporary copy of an agent folder with changes applied. */
export interface ChangedFolder {
  /** Absolute. */
  readonly dir: string
  /** Paths that differ from the folder, with `/`, in order: changed, added and removed ones. */
  readonly files: readonly string[]
  /** Removes the copy; repeating it does nothing. */
  remove(): Promise<void>
}

/**
 * Copies an agent folder and applies changes to the copy, in their order; a commit comes first. The
 * folder itself is not changed. The copy has the folder's `.env`, and none of its data: start it in
 * memory.
 *
 * @param root the agent folder
 * @param changes read by {@link parseChange}, or sent by a client
 * @returns the copy, which the caller removes; `EVAL_CHANGE_INVALID`, which names the change and
 *   what it does not fit
 *
 * @example
 * const changed = await changedFolder('my-agent', [{ kind: 'model', model: 'gpt-5.2' }], signal)
 * if (!changed.ok) return changed
 * const kernel = await context.start({ dir: changed.value.dir, looking: true, without: ['http'] })
 */
export async function changedFolder(
  root: string,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<Result<ChangedFolder, Failure>> {
  const real = await tryAsync(() => realpath(resolve(root)), messageOf)
  if (!real.ok) return err(ChangeInvalid(`the agent folder ${root} cannot be read: ${real.error}`))
  const dir = await placeFor(real.value)
  const remove = (): Promise<void> => rm(dir, { recursive: true, force: true, maxRetries: 3 })
  const applied = await tryAsync(
    () => fill(real.value, dir, changes, signal),
    (cause) => ChangeInvalid(`${root} cannot be copied: ${messageOf(cause)}`, { cause }),
  )
  const filled = applied.ok ? applied.value : applied
  if (filled.ok) return ok({ dir, files: filled.value, remove })
  await remove()
  return filled
}

async function fill(
  root: string,
  copy: string,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<Result<readonly string[], Failure>> {
  const commits = changes.filter((change) => change.kind === 'commit')
  const [first, second] = commits
  if (second)
    return err(ChangeInvalid(`${changeText(second)}: one commit at a time can be the agent's`))
  if (first) {
    const written = await writeCommit(root, first.commit, copy, signal)
    if (!written.ok) return written
    // Values are not committed: those of the folder count.
    await copyEnvironment(root, copy)
  } else await copyFolder(root, copy, signal)
  for (const change of changes) {
    const applied = await apply(copy, change)
    if (!applied.ok) return applied
  }
  return ok(await differing(root, copy, signal))
}

function apply(copy: string, change: Change): Promise<Result<void, Failure>> {
  switch (change.kind) {
    case 'skill':
      return applySkill(copy, change)
    case 'prompt':
      return applyPrompt(copy, change)
    case 'knowledge':
      return applyKnowledge(copy, change)
    case 'model':
      return applyModel(copy, change)
    case 'settings':
      return applySettings(copy, change)
    case 'commit':
      return Promise.resolve(ok(undefined))
    default:
      return change satisfies never
  }
}

/** An empty folder below the agent's; elsewhere where that may not be written. */
async function placeFor(root: string): Promise<string> {
  const name = randomBytes(8).toString('hex')
  const places = join(root, PLACE)
  const own = await tryAsync(
    () => mkdir(join(places, name), { recursive: true, mode: 0o700 }),
    messageOf,
  )
  if (own.ok) {
    await removeForgotten(places)
    return join(places, name)
  }
  const other = join(await realpath(tmpdir()), `amodal-changed-${name}`)
  await mkdir(other, { mode: 0o700 })
  return other
}

async function removeForgotten(places: string): Promise<void> {
  for (const name of await readdir(places)) {
    const path = join(places, name)
    const found = await stat(path).catch(() => undefined)
    if (found && found.mtimeMs < Date.now() - FORGOTTEN_MS)
      await rm(path, { recursive: true, force: true })
  }
}

/** Paths whose files are not the same in both folders. */
async function differing(
  root: string,
  copy: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const [before, after] = await Promise.all([filesOf(root), filesOf(await realpath(copy))])
  const paths: string[] = []
  for (const path of [...new Set([...before, ...after])].sort()) {
    signal.throwIfAborted()
    const [one, other] = await Promise.all([contentOf(root, path), contentOf(copy, path)])
    const isSame = one === undefined || other === undefined ? one === other : one.equals(other)
    if (!isSame) paths.push(path)
  }
  return paths
}

const staysIn = (folder: string, path: string): Promise<boolean> =>
  realpath(join(folder, path)).then(
    (target) => path === '.env' || isInside(folder, target),
    () => false,
  )

const contentOf = (folder: string, path: string): Promise<Buffer | undefined> =>
  readFile(join(folder, path)).catch(() => undefined)

/**
 * What belongs to the agent in a folder: neither its history nor its packages nor its data, nor
 * what a link leads to elsewhere.
 *
 * @param folder a real path
 */
async function filesOf(folder: string): Promise<readonly string[]> {
  const found: string[] = []
  const list = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (['.git', 'node_modules'].includes(entry.name)) continue
      if (path === '.amodal') found.push('.amodal/config.json')
      else if (entry.isDirectory()) await list(path)
      else if (!entry.isSymbolicLink() || (await staysIn(folder, path))) found.push(path)
    }
  }
  await list('')
  return found
}
