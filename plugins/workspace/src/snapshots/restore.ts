import { createHash } from 'node:crypto'
import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { WorkspaceStorageFailed } from '../errors.ts'
import type { WorkspaceFiles } from '../gate/workspace-files.ts'
import { changedPaths, isSame, type Manifest, type ManifestEntry } from './manifest.ts'
import type { SnapshotStore } from './snapshot-store.ts'

type Outcome<T> = Promise<Result<T, Failure>>

/**
 * Makes a workspace exactly what a snapshot says: what differs is removed or written anew.
 *
 * @param present what the workspace holds now
 */
export async function restore(
  files: WorkspaceFiles,
  present: Manifest,
  wanted: Manifest,
  store: SnapshotStore,
  signal: AbortSignal,
): Outcome<void> {
  const paths = changedPaths(present, wanted)
  // The deeper ones first: a folder is removed once it is empty.
  for (const path of paths.toReversed()) {
    if (present[path] === undefined) continue
    const removed = await removeEntry(files, path)
    if (!removed.ok) return removed
  }
  const emptied = await removeEmptyFolders(files, '', wanted)
  if (!emptied.ok) return emptied
  const byHash = new Map<string, string[]>()
  for (const path of paths) {
    const entry = wanted[path]
    if (entry?.kind === 'file') byHash.set(entry.hash, [...(byHash.get(entry.hash) ?? []), path])
    else if (entry) {
      const created = await create(files, path, entry)
      if (!created.ok) return created
    }
  }
  return store.contents(
    [...byHash.keys()],
    async (hash, bytes) => {
      if (createHash('sha256').update(bytes).digest('hex') !== hash)
        return WorkspaceStorageFailed('the content of a file is not what was stored')
      for (const path of byHash.get(hash) ?? []) {
        const entry = wanted[path]
        if (entry?.kind !== 'file') continue
        const written = await files.write(path, bytes, entry.mode)
        if (!written.ok) return written.error
      }
      return undefined
    },
    signal,
  )
}

async function removeEntry(files: WorkspaceFiles, path: string): Outcome<void> {
  const removed = await files.remove(path)
  // Something above it may be gone already.
  return removed.ok || removed.error.code === 'WORKSPACE_FILE_MISSING' ? ok(undefined) : removed
}

function create(files: WorkspaceFiles, path: string, entry: ManifestEntry): Outcome<void> {
  switch (entry.kind) {
    case 'folder':
      return files.makeFolder(path)
    case 'link':
      return parentOf(path) === ''
        ? files.link(path, entry.target)
        : files
            .makeFolder(parentOf(path))
            .then((parent) => (parent.ok ? files.link(path, entry.target) : parent))
    case 'file':
      return Promise.resolve(err(WorkspaceStorageFailed('a file is written with its content')))
  }
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Folders that hold nothing any more, but for those that the snapshot has as empty ones. */
async function removeEmptyFolders(
  files: WorkspaceFiles,
  folder: string,
  wanted: Manifest,
): Outcome<boolean> {
  const listed = await files.list(folder)
  if (!listed.ok) return listed
  let isEmpty = true
  for (const { name, kind } of listed.value) {
    const path = folder === '' ? name : `${folder}/${name}`
    if (kind === 'other') {
      const removed = await files.remove(path)
      if (!removed.ok) return removed
      continue
    }
    const inner = kind === 'folder' ? await removeEmptyFolders(files, path, wanted) : ok(false)
    if (!inner.ok) return inner
    if (!inner.value) isEmpty = false
    else if (isSame(wanted[path], { kind: 'folder' })) isEmpty = false
    else {
      const removed = await files.remove(path)
      if (!removed.ok) return removed
    }
  }
  return ok(isEmpty)
}
