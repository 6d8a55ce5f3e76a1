import { ok, type Failure, type Result } from '@amodal/sdk'
import type { WorkspaceFiles } from '../../gate/workspace-files.ts'
import { walk } from '../../session/walk.ts'
import type { Quota } from '../../snapshots/scan.ts'

/** Files of a workspace in memory; paths are relative to it. */
export interface VirtualFiles {
  readonly folders: readonly string[]
  readonly links: readonly { readonly path: string; readonly target: string }[]
  readonly files: readonly VirtualFile[]
}
export interface VirtualFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly mode: number
}

/** What a command has changed. */
export interface VirtualChanges extends VirtualFiles {
  /** Entries below a folder that was removed come before it. */
  readonly removed: readonly string[]
}

type Outcome<T> = Promise<Result<T, Failure>>

/** Reads a workspace through the gate. */
export async function readFiles(
  gate: WorkspaceFiles,
  quota: Quota,
  signal: AbortSignal,
): Outcome<VirtualFiles> {
  const folders: string[] = []
  const links: VirtualFiles['links'][number][] = []
  const files: VirtualFile[] = []
  for await (const { path, kind, mode } of walk(gate, '.', { most: quota.files + 1, signal })) {
    if (kind === 'folder') folders.push(path)
    if (kind === 'link') {
      const target = await gate.linkTarget(path)
      if (!target.ok) return target
      links.push({ path, target: target.value })
    }
    if (kind === 'file') {
      const read = await gate.read(path, quota.bytes)
      if (!read.ok) return read
      files.push({ path, bytes: read.value.bytes, mode })
    }
  }
  return ok({ folders, links, files })
}

/** Writes changes through the gate. */
export async function writeChanges(
  gate: WorkspaceFiles,
  { removed, folders, files, links }: VirtualChanges,
): Outcome<void> {
  for (const path of removed) {
    const outcome = await gate.remove(path)
    if (!outcome.ok) return outcome
  }
  for (const path of folders) {
    const outcome = await gate.makeFolder(path)
    if (!outcome.ok) return outcome
  }
  for (const { path, bytes, mode } of files) {
    const outcome = await gate.write(path, bytes, mode)
    if (!outcome.ok) return outcome
  }
  for (const { path, target } of links) {
    const outcome = await gate.link(path, target)
    if (!outcome.ok) return outcome
  }
  return ok(undefined)
}
