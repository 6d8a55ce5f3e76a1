import type { EntryInfo, WorkspaceFiles } from '../gate/workspace-files.ts'

export interface WalkedEntry extends EntryInfo {
  /** Relative to the workspace. */
  readonly path: string
}

export interface WalkOptions {
  /** Entries after which the walk ends. */
  readonly most: number
  readonly signal: AbortSignal
  /** Names of folders whose entries are not visited. */
  readonly skipped?: ReadonlySet<string>
}

/** Below a folder, each folder before its entries, by name; links are never followed. */
export async function* walk(
  files: WorkspaceFiles,
  folder: string,
  { most, signal, skipped = new Set() }: WalkOptions,
): AsyncGenerator<WalkedEntry> {
  const pending = [folder]
  let seen = 0
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    signal.throwIfAborted()
    const listed = await files.list(path)
    // It may have been removed meanwhile.
    if (!listed.ok) continue
    const folders: string[] = []
    for (const { name, ...info } of listed.value) {
      if (seen >= most) return
      seen += 1
      const below = joined(path, name)
      if (info.kind === 'folder' && !skipped.has(name)) folders.push(below)
      yield { path: below, ...info }
    }
    pending.push(...folders.toReversed())
  }
}

/** @example joined('.', 'src') // 'src' */
export const joined = (folder: string, name: string): string =>
  folder === '.' || folder === '' ? name : `${folder.replace(/\/+$/, '')}/${name}`
