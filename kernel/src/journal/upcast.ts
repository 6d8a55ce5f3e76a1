import { hash } from 'node:crypto'
import { failure, type Failure } from '../errors.ts'
import { err, messageOf, ok, trySync, type Result } from '../result.ts'
import {
  ENTRY_VERSION,
  type AssetRef,
  type EntryKind,
  type JournalEntry,
  type SequencedEntry,
  type StoredEntry,
} from './entry.ts'

type Body = Readonly<Record<string, unknown>>
/** Parses the text of an entry. */
type Parse = (text: string) => unknown
type Upcasters = Readonly<Partial<Record<EntryKind, readonly ((body: Body) => Body)[]>>>

/**
 * Pure functions from version `v` to `v + 1`, per kind, in order from version 1.
 * None is ever removed: the tests have a fixture of every past version.
 */
export const UPCASTERS: Upcasters = { user_message: [imagesAsAssets] }

/** 1 to 2: the bytes of images were in the entry. They stay there and get a name. */
function imagesAsAssets({ images, ...rest }: Body): Body {
  if (!Array.isArray(images)) return rest
  return {
    ...rest,
    // what version 1 has written
    assets: (images as readonly { readonly mediaType: string; readonly data: string }[]).map(
      ({ mediaType, data }): AssetRef => {
        const bytes = Buffer.from(data, 'base64')
        return { asset: hash('sha256', bytes), mediaType, bytes: bytes.byteLength, data }
      },
    ),
  }
}

const isKind = (kind: unknown): kind is EntryKind =>
  typeof kind === 'string' && Object.hasOwn(ENTRY_VERSION, kind)

/**
 * Reads a stored entry in whatever version it was written. An unknown newer one is refused:
 * guessing would lose facts.
 */
export function readEntry(
  { seq, body: text, sealed }: StoredEntry,
  upcasters: Upcasters = UPCASTERS,
  parse: Parse = JSON.parse,
): Result<SequencedEntry, Failure> {
  const refused = (why: string): Result<never, Failure> =>
    err(failure('UNKNOWN_ENTRY_VERSION', `journal entry ${seq} ${why}`))
  // written by us; kind and version are checked next
  const parsed = trySync(() => parse(text) as Body, messageOf)
  if (!parsed.ok) return refused(`cannot be read: ${parsed.error}`)
  let body = parsed.value
  const { kind } = body
  if (!isKind(kind)) return refused(`has the unknown kind ${String(kind)}`)
  const steps = upcasters[kind] ?? []
  const newest = Math.max(ENTRY_VERSION[kind], steps.length + 1)
  const written = Number(body['v'])
  if (!(written <= newest))
    return refused(`(${kind}) has version ${String(body['v'])}; this release knows ${newest}`)
  for (let version = written; version < newest; version++) {
    const step = steps[version - 1]
    if (!step) return refused(`(${kind}) has version ${version}, which nothing reads any more`)
    body = { ...step(body), v: version + 1 }
  }
  const entry = body as unknown as JournalEntry // the version is one this release writes
  return ok({ ...entry, seq, ...(sealed === undefined ? {} : { sealed }) })
}

export function readEntries(
  stored: readonly StoredEntry[],
  parse?: Parse,
): Result<readonly SequencedEntry[], Failure> {
  const entries: SequencedEntry[] = []
  for (const one of stored) {
    const entry = readEntry(one, UPCASTERS, parse)
    if (!entry.ok) return entry
    entries.push(entry.value)
  }
  return ok(entries)
}
