import { readFileSync } from 'node:fs'
import { access, constants, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { messageOf, tryAsync, trySync, type Failure, type Result } from '@amodal/sdk'
import { isElsewhere, mountOf } from '@amodal/sdk/files'
import {
  applyChange,
  isInside,
  newChangeId,
  type AppliedChange,
} from '@amodal/plugin-repo-files/tokens'
import { ExperimentNotPromotable } from '../errors.ts'

/** Texts that are written into an agent folder. */
export interface TextsChange {
  readonly root: string
  /** By path below the folder, in the order in which they are written. */
  readonly texts: ReadonlyMap<string, string>
  readonly principal: string
  /** ms since the epoch. */
  readonly at: number
}

/** Whether files below this folder can be written. */
export const canWrite = (root: string): Promise<boolean> =>
  access(root, constants.W_OK).then(
    () => true,
    () => false,
  )

/**
 * Writes texts into an agent folder: all of them, or none. A link within the folder is followed.
 *
 * @returns the change, by which it is undone; `EXPERIMENT_NOT_PROMOTABLE` where nothing was changed
 */
export async function applyTexts(
  { at, principal, root, texts }: TextsChange,
  signal: AbortSignal,
): Promise<Result<AppliedChange, Failure>> {
  const resolved = await tryAsync(async () => {
    const real = await realpath(root)
    const paths = new Map<string, string>()
    for (const [path, text] of texts) paths.set(await ownPath(real, path), text)
    signal.throwIfAborted()
    return { real, paths }
  }, nothingChanged)
  if (!resolved.ok) return resolved
  const { paths, real } = resolved.value
  return trySync(() => {
    const change: AppliedChange = {
      id: newChangeId(at),
      session: '',
      principal,
      at,
      // Read in the very step that writes: no edit of this process comes in between.
      files: [...paths].map(([path, after]) => ({ path, before: textAt(real, path), after })),
    }
    applyChange(real, change)
    return change
  }, nothingChanged)
}

/**
 * Writes back what was there before a change.
 *
 * @param at ms since the epoch
 */
export function undoTexts(
  root: string,
  { files, id, principal, session }: AppliedChange,
  at: number,
): Promise<Result<void, string>> {
  return tryAsync(async () => {
    applyChange(await realpath(root), {
      id: newChangeId(at),
      session,
      principal,
      at,
      undoes: id,
      files: files.map(({ after, before, path }) => ({ path, before: after, after: before })),
    })
  }, messageOf)
}

const nothingChanged = (cause: unknown): Failure =>
  ExperimentNotPromotable(`nothing was changed: ${messageOf(cause)}`, { cause })

/** Where a path leads below a folder. */
async function ownPath(root: string, path: string): Promise<string> {
  const target = await realpath(join(root, path)).catch((cause: unknown) => {
    if (isMissing(cause)) return undefined
    throw cause
  })
  if (target === undefined) {
    const parent = dirname(path)
    return parent === '.' ? path : `${await ownPath(root, parent)}/${basename(path)}`
  }
  const isMounted = async (): Promise<boolean> =>
    isElsewhere(await mountOf(root), await mountOf(dirname(target)))
  if (!isInside(root, target) || (await isMounted()))
    throw new Error(`${path} lies behind a link or a mount that leads elsewhere`)
  return relative(root, target).replaceAll(sep, '/')
}

/** @returns `null` where there is no such file */
function textAt(root: string, path: string): string | null {
  try {
    const bytes = readFileSync(join(root, path))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    if (isMissing(cause)) return null
    throw cause instanceof TypeError ? new Error(`${path} is no text in UTF-8`, { cause }) : cause
  }
}

const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
