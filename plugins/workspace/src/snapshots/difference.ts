import { ok, type Failure, type Result } from '@amodal/sdk'
import { diff } from '../diff.ts'
import { changedPaths, type Manifest, type ManifestEntry } from './manifest.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** Bytes of a file whose lines are compared. */
const MAX_COMPARED = 500_000
/** Characters of a difference. */
const MAX_TEXT = 1_000_000

export interface FileChange {
  readonly path: string
  readonly change: 'added' | 'removed' | 'changed'
}

export interface Difference {
  readonly files: readonly FileChange[]
  /** As `diff -u` writes it; files that are no text are only named. */
  readonly patch: string
  readonly truncated: boolean
}

/** Compares two states of a workspace. */
export async function differenceOf(
  before: Manifest,
  after: Manifest,
  store: SnapshotStore,
  signal: AbortSignal,
): Promise<Result<Difference, Failure>> {
  const paths = changedPaths(before, after)
  const hashes = paths.flatMap((path) =>
    [before[path], after[path]].flatMap((entry) => (isCompared(entry) ? [entry.hash] : [])),
  )
  const texts = new Map<string, string | undefined>()
  const read = await store.contents(
    [...new Set(hashes)],
    (hash, bytes) => {
      texts.set(hash, textOf(bytes))
      return Promise.resolve(undefined)
    },
    signal,
  )
  if (!read.ok) return read
  const side = (entry: ManifestEntry | undefined): string | undefined => {
    if (entry === undefined) return ''
    return isCompared(entry) ? texts.get(entry.hash) : undefined
  }
  let patch = ''
  let truncated = false
  for (const path of paths) {
    if (patch.length > MAX_TEXT) {
      truncated = true
      break
    }
    patch += patchOf(path, before[path], after[path], side)
  }
  const files = paths.map((path) => ({ path, change: changeOf(before[path], after[path]) }))
  return ok({
    files,
    patch: patch.slice(0, MAX_TEXT),
    truncated: truncated || patch.length > MAX_TEXT,
  })
}

const isCompared = (
  entry: ManifestEntry | undefined,
): entry is Extract<ManifestEntry, { kind: 'file' }> =>
  entry?.kind === 'file' && entry.size <= MAX_COMPARED

function patchOf(
  path: string,
  before: ManifestEntry | undefined,
  after: ManifestEntry | undefined,
  side: (entry: ManifestEntry | undefined) => string | undefined,
): string {
  const [from, to] = [side(before), side(after)]
  const names = [before ? `a/${path}` : '/dev/null', after ? `b/${path}` : '/dev/null'] as const
  if (from === undefined || to === undefined)
    return `Binary files ${names[0]} and ${names[1]} differ\n`
  return from === to ? '' : diff().createTwoFilesPatch(...names, from, to)
}

function changeOf(
  before: ManifestEntry | undefined,
  after: ManifestEntry | undefined,
): FileChange['change'] {
  if (!before) return 'added'
  return after ? 'changed' : 'removed'
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
