import { posix } from 'node:path'
import { err, ok, type AgentBundle, type Connection, type RestSpec, type Result } from '@amodal/sdk'
import { API_DOCUMENTS } from '@amodal/sdk/files'
import type { DocumentSource } from '../documents/load-documents.ts'
import { fetchDocument, type FetchedDocument } from '../documents/fetch-document.ts'
import { readInside, type Problem } from '../documents/read-inside.ts'
import { compareVersions } from '../parse-document.ts'
import { documentFileOf, isAddress } from '../starter/connection-part.ts'
import { readSource } from '../starter/connection-starter.ts'
import type { ApiChange } from './api-change.ts'
import { touchedLines, type TouchedLine } from './touched-files.ts'

type Rest = Connection & { readonly rest: RestSpec }

/** ms for fetching a document. */
const FETCH_MS = 30_000

/** How the API of a connection differs from the document in its folder. */
export interface Drift {
  readonly connection: string
  /** The file or address of the newer document, without what an address has behind `?`. */
  readonly from: string
  /** The document in the folder; left out where it has none to compare with. */
  readonly pinned?: { readonly path: string; readonly text: string }
  /** The newer document: the path that it has in the folder, and its text. */
  readonly served: { readonly path: string; readonly text: string }
  readonly changes: readonly ApiChange[]
  readonly touched: readonly TouchedLine[]
}

export type DriftSource = Pick<DocumentSource, 'outbound' | 'credentials' | 'maxBytes'>

/** The folder of a connection, from that of the agent. */
export const folderOf = ({ file, name }: Connection): string =>
  file.endsWith('/spec.json') ? posix.dirname(file) : `connections/${name}`

/**
 * Fetches the document of a connection and compares it with the one in its folder.
 *
 * @param from a file or address in place of `specUrl`
 * @returns what differs; or why that cannot be known
 */
export async function driftOf(
  connection: Rest,
  bundle: AgentBundle,
  source: DriftSource,
  signal: AbortSignal,
  from?: string,
): Promise<Result<Drift, Problem>> {
  const served = await servedDocument(connection, source, signal, from)
  if (!served.ok) return served
  const pinned = await pinnedDocument(connection, bundle, source.maxBytes)
  if (pinned && !pinned.ok) return pinned
  const before = pinned?.value
  const changes =
    before === undefined || before.text === served.value.text
      ? ok([])
      : await compareVersions(before.text, served.value.text)
  if (!changes.ok) return err({ why: changes.error })
  return ok({
    connection: connection.name,
    from: served.value.from,
    ...(before && { pinned: before }),
    served: {
      path: `${folderOf(connection)}/${fileFor(before?.path, served.value)}`,
      text: served.value.text,
    },
    changes: changes.value,
    touched: touchedLines(changes.value, connection.name, bundle.files),
  })
}

/** The name that the folder has for it already, as far as that fits its form. */
function fileFor(pinnedPath: string | undefined, served: FetchedDocument): string {
  const fresh = documentFileOf(served)
  const known = pinnedPath === undefined ? fresh : posix.basename(pinnedPath)
  const isSameForm =
    posix.extname(known).replace('.yml', '.yaml') === posix.extname(fresh) &&
    known.startsWith('schema') === fresh.startsWith('schema')
  return isSameForm ? known : fresh
}

async function servedDocument(
  { name, rest }: Rest,
  source: DriftSource,
  signal: AbortSignal,
  from: string | undefined,
): Promise<Result<FetchedDocument & { readonly from: string }, Problem>> {
  if (from !== undefined && !isAddress(from)) {
    const read = await readSource(from, source, signal)
    return read.ok ? read : err({ why: read.error })
  }
  const specUrl = from ?? rest.specUrl
  if (specUrl === undefined)
    return err({
      why: `connection "${name}" has no \`specUrl\``,
      fix: `name the document: --from URL`,
    })
  const address = source.credentials.address(specUrl, `specUrl of "${name}"`)
  const url = address.ok ? URL.parse(address.value) : null
  if (!url) return err({ why: address.ok ? '`specUrl` is no address' : address.error.message })
  const fetched = await fetchDocument(url, {
    outbound: source.outbound,
    maxBytes: source.maxBytes,
    timeoutMs: FETCH_MS,
    isGraphql: rest.format === 'graphql' || /graphql\/?$/i.test(url.pathname),
    signal,
  })
  return fetched.ok ? ok({ ...fetched.value, from: `${url.origin}${url.pathname}` }) : fetched
}

async function pinnedDocument(
  connection: Rest,
  { files, root }: AgentBundle,
  maxBytes: number,
): Promise<Result<{ readonly path: string; readonly text: string }, Problem> | undefined> {
  for (const file of API_DOCUMENTS) {
    const path = `${folderOf(connection)}/${file}`
    const given = files.find((one) => one.path === path)?.text
    const text = given === undefined ? await readInside(root, path, maxBytes) : ok(given)
    if (text) return text.ok ? ok({ path, text: text.value }) : text
  }
  return undefined
}
