import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { messageOf } from '@amodal/sdk'

/** One file of a change: its text before and after; `null`: it is not there. */
export interface FileChange {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

/** A change that a person has accepted. */
export interface AppliedChange {
  readonly id: string
  readonly session: string
  readonly principal: string
  /** ms since the epoch. */
  readonly at: number
  readonly files: readonly FileChange[]
  /** The change that this one has undone. */
  readonly undoes?: string
}

/** Below the agent folder; no part of the agent. */
export const CHANGES = '.amodal/admin'
const INTENT = join(CHANGES, 'intent.json')
const APPLIED = join(CHANGES, 'applied')
const DRAFTS = join(CHANGES, 'drafts')
/** A draft that is older belongs to no process. */
const FORGOTTEN_MS = 60 * 60_000
/** Changes that can be undone. */
const MOST_APPLIED = 100

export const appliedFile = (root: string, id: string): string => join(root, APPLIED, `${id}.json`)

/** An id of a change: in order of time. */
export const newChangeId = (at: number): string =>
  `${new Date(at).toISOString().replaceAll(/[-:.]/g, '').toLowerCase()}-${randomBytes(3).toString('hex')}`

/**
 * Writes all files of a change, or none. What is about to be written is stored first: a process
 * that is killed in between leaves that behind, and the next one finishes it before it reads the
 * folder. Synchronous, so that nothing of this process sees half of it.
 *
 * @throws what the system says, after everything is as it was
 */
export function applyChange(root: string, change: AppliedChange): void {
  removeForgottenDrafts(root)
  writeWhole(root, INTENT, JSON.stringify(change))
  const written: FileChange[] = []
  try {
    for (const file of change.files) {
      put(root, file.path, file.after)
      written.push(file)
    }
  } catch (cause) {
    for (const { before, path } of written.toReversed()) put(root, path, before)
    rmSync(join(root, INTENT), { force: true })
    throw cause
  }
  finish(root, change)
  removeOldest(root)
}

/**
 * Finishes what a process that was killed has begun.
 *
 * @returns the change, or why it cannot be finished
 */
export function recoverChange(root: string): {
  readonly change?: AppliedChange
  readonly problem?: string
} {
  const text = textAt(join(root, INTENT))
  if (text === undefined) return {}
  try {
    const change = JSON.parse(text) as AppliedChange // written by `applyChange`, whole
    for (const { after, path } of change.files) put(root, path, after)
    finish(root, change)
    return { change }
  } catch (cause) {
    // Another process of this folder has finished it meanwhile.
    return existsSync(join(root, INTENT)) ? { problem: messageOf(cause) } : {}
  }
}

function finish(root: string, change: AppliedChange): void {
  const target = appliedFile(root, change.id)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  try {
    renameSync(join(root, INTENT), target)
  } catch (cause) {
    // Another process that has read the folder meanwhile has finished it.
    if (!existsSync(target)) throw cause
  }
  sync(dirname(target))
}

function put(root: string, path: string, text: string | null): void {
  const file = join(root, path)
  refuseLinks(root, path)
  if (text === null) {
    rmSync(file, { force: true })
    prune(root, dirname(path))
    return
  }
  writeWhole(root, path, text)
}

/** A folder may have become a link since the path was checked. */
function refuseLinks(root: string, path: string): void {
  const parts = path.split('/')
  for (let count = 1; count <= parts.length; count++) {
    const at = join(root, ...parts.slice(0, count))
    const found = lstatSync(at, { throwIfNoEntry: false })
    if (found?.isSymbolicLink()) throw new Error(`${path}: ${at} is a link`)
  }
}

/** Folders that are empty now; those that hold an agent's parts stay. */
function prune(root: string, folder: string): void {
  if (!folder.includes('/')) return
  try {
    rmdirSync(join(root, folder))
  } catch {
    return // it is not empty, or not there
  }
  prune(root, dirname(folder))
}

/** Replaces a file in one step, and keeps its mode. The draft lies where no reader looks. */
export function writeWhole(root: string, path: string, text: string): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  mkdirSync(join(root, DRAFTS), { recursive: true, mode: 0o700 })
  const draft = join(root, DRAFTS, randomBytes(8).toString('hex'))
  const mode = lstatSync(file, { throwIfNoEntry: false })?.mode
  try {
    const opened = openSync(draft, 'wx', mode === undefined ? 0o644 : mode & 0o777)
    try {
      writeFileSync(opened, text)
      fsyncSync(opened)
    } finally {
      closeSync(opened)
    }
    renameSync(draft, file)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw cause
  }
  sync(dirname(file))
}

/** The change is written: one that cannot be removed is removed after another one. */
function removeOldest(root: string): void {
  const folder = join(root, APPLIED)
  try {
    const names = readdirSync(folder).sort().reverse()
    for (const name of names.slice(MOST_APPLIED)) rmSync(join(folder, name), { force: true })
  } catch {
    return
  }
}

/** Those of processes that were killed. */
function removeForgottenDrafts(root: string): void {
  const folder = join(root, DRAFTS)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false })
    if (found && found.mtimeMs < Date.now() - FORGOTTEN_MS) rmSync(join(folder, name))
  }
}

/** The entry of a folder has to be on the disk, too; not every system can do that. */
function sync(folder: string): void {
  try {
    const opened = openSync(folder, 'r')
    try {
      fsyncSync(opened)
    } finally {
      closeSync(opened)
    }
  } catch {
    // Windows opens no folders.
  }
}

export function textAt(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
