import { randomUUID } from 'node:crypto'
import {
  access,
  constants,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { err, messageOf, ok, tryAsync, type Failure, type Result } from '@amodal/sdk'
import { isElsewhere, mountOf } from '@amodal/sdk/files'
import { ExperimentNotPromotable } from '../errors.ts'

/** Files that were replaced, until it is certain that they stay. */
export interface Replaced {
  /** Puts the files back as they were. */
  undo(): Promise<void>
}

interface Step {
  readonly path: string
  readonly temporary: string
  /** `undefined`: there was none. */
  readonly before: Buffer | undefined
}

/**
 * Writes files below a folder: all of them, or none. Each is complete at any moment, so that a
 * server that watches the folder reads no partial file.
 *
 * @param files texts by path relative to the folder, in the order in which they are replaced
 */
export async function replaceFiles(
  root: string,
  files: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<Result<Replaced, Failure>> {
  const steps: Step[] = []
  const replaced: Step[] = []
  const undo = async (): Promise<void> => {
    for (const step of replaced.toReversed()) await restore(step)
  }
  const written = await tryAsync(
    async () => {
      for (const [path, text] of files) steps.push(await prepare(root, path, text, signal))
      for (const step of steps) {
        signal.throwIfAborted()
        await rename(step.temporary, step.path)
        replaced.push(step)
      }
    },
    (cause) => ExperimentNotPromotable(`nothing was changed: ${messageOf(cause)}`, { cause }),
  )
  if (written.ok) return ok({ undo })
  await undo()
  for (const { temporary } of steps) await rm(temporary, { force: true })
  return err(written.error)
}

/** Whether files below this folder can be written. */
export const canWrite = (root: string): Promise<boolean> =>
  access(root, constants.W_OK).then(
    () => true,
    () => false,
  )

async function prepare(
  root: string,
  path: string,
  text: string,
  signal: AbortSignal,
): Promise<Step> {
  const real = await realpath(root)
  await mkdir(dirname(join(real, path)), { recursive: true })
  const folder = await realpath(dirname(join(real, path)))
  const isInside = `${folder}${sep}`.startsWith(`${real}${sep}`)
  if (!isInside || isElsewhere(await mountOf(real), await mountOf(folder)))
    throw new Error(`${path} lies behind a link or a mount that leads elsewhere`)
  const file = join(real, path)
  const before = await readFile(file).catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  })
  const temporary = `${file}.${randomUUID()}.part`
  await writeFile(temporary, text, { signal })
  return { path: file, temporary, before }
}

async function restore({ before, path, temporary }: Step): Promise<void> {
  if (before === undefined) return rm(path, { force: true })
  await writeFile(temporary, before)
  await rename(temporary, path)
}
