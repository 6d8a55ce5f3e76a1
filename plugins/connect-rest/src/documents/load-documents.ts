import { posix } from 'node:path'
import {
  err,
  hashOf,
  ok,
  type AgentBundle,
  type ApiDocument,
  type Connection,
  type Json,
  type Logger,
  type Outbound,
  type RestSpec,
  type Result,
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { API_DOCUMENTS, Issues, jsonFileIn } from '@amodal/sdk/files'
import type { Credentials } from '../credentials.ts'
import { filteredDocument, filteredTexts, hasFilter } from '../filter.ts'
import { WHOLE } from '../whole-documents.ts'
import { DocumentCache } from './document-cache.ts'
import { fetchDocument } from './fetch-document.ts'
import { parseDocument } from '../parse-document.ts'
import { filesBeside, missingIn, warnOfMissing, type MissingReference } from './files-beside.ts'
import type { ParsedDocument } from './parsed-document.ts'
import { readInside, type Problem } from './read-inside.ts'
import type { DocumentFiles } from './references.ts'
import { servedElsewhere } from './servers.ts'

const FETCH_MS = 10_000
/** Operations that a line of the log names. */
const MOST_NAMES = 20

export interface DocumentSource {
  readonly outbound: Outbound
  readonly credentials: Credentials
  readonly log: Logger
  readonly now: () => number
  /** Bytes of one document. */
  readonly maxBytes: number
  /** A fetched document that is older is fetched again, for the next load. */
  readonly refreshMs: number
}

interface Loaded {
  readonly key: string
  readonly from: string
  readonly document: ParsedDocument
  /** References that lead nowhere, with the file and line where one stands. */
  readonly missing?: readonly MissingReference[]
}

type Rest = Connection & { readonly rest: RestSpec }

/**
 * The bundle with the API documents of its connections, without what their filters leave out. A
 * document that cannot be read is a problem that is told, and no more.
 */
export async function loadDocuments(
  bundle: AgentBundle,
  connections: readonly Rest[],
  source: DocumentSource,
): Promise<AgentBundle> {
  const issues = new Issues()
  const loaded = await Promise.all(
    connections.map(async (connection) => {
      const { name, file } = connection
      const found = await loadOne(connection, bundle, source)
      if (!found) return []
      if (found.ok) {
        warnOfMissing(name, found.value.missing ?? [], issues)
        warnOfServers(connection, found.value.document, source, issues)
        return [
          {
            connection,
            base: baseOf(connection, source),
            key: found.value.key,
            document: { ...found.value.document, from: found.value.from },
          },
        ]
      }
      issues.warn('BAD_REPO', `the API document of "${name}" is not used: ${found.error.why}`, {
        file: found.error.file ?? file,
        fix: found.error.fix ?? 'correct it, or remove it',
      })
      return []
    }),
  )
  const documents = loaded.flat()
  const given = new Map(documents.map(({ connection, document }) => [connection.name, document]))
  for (const { connection, document, base } of documents)
    warnOfFilter(connection, document, base, bundle, issues)
  const texts = filteredParts(bundle, connections, given, source)
  if (documents.length === 0)
    return {
      ...bundle,
      issues: [...bundle.issues, ...issues.sorted()],
      parts: { ...bundle.parts, ...texts },
    }
  const parts = Object.fromEntries(
    documents.map(({ connection: { name, rest }, document, base }) => [
      name,
      filteredDocument(document, rest.filter, base),
    ]),
  )
  const whole = Object.fromEntries(
    documents
      .filter(({ connection: { rest } }) => rest.filter.tags.length > 0)
      .map(({ connection: { name }, document }) => [name, document]),
  )
  return {
    ...bundle,
    hash: hashOf([
      bundle.hash,
      ...documents.map(({ connection: { name }, key }) => `${name} ${key}`),
    ]),
    issues: [...bundle.issues, ...issues.sorted()],
    parts: {
      ...bundle.parts,
      ...texts,
      'api-documents': parts as unknown as Json,
      [WHOLE]: whole as unknown as Json,
    }, // made of texts, numbers and lists
  }
}

/** Path of the address of a connection. */
function baseOf({ name, rest }: Rest, { credentials }: DocumentSource): string {
  const address = credentials.address(rest.baseUrl, `baseUrl of "${name}"`)
  return (address.ok ? URL.parse(address.value)?.pathname : undefined) ?? '/'
}

/** Connections whose `surface.md` names what their filter leaves out. */
function filteredParts(
  bundle: AgentBundle,
  connections: readonly Rest[],
  documents: ReadonlyMap<string, ApiDocument>,
  source: DocumentSource,
): AgentBundle['parts'] {
  const changed = new Map(
    connections.flatMap((connection) => {
      const texts = filteredTexts(
        connection,
        documents.get(connection.name),
        baseOf(connection, source),
      )
      return texts === connection ? [] : [[connection.name, texts] as const]
    }),
  )
  if (changed.size === 0) return {}
  return {
    connections: connectionsOf(bundle).map(
      (one) => changed.get(one.name) ?? one,
    ) as unknown as Json,
  } // as they were read, but for a text
}

/** Operations that another server serves are refused: their requests would go to the wrong one. */
function warnOfServers(
  { name, rest, file }: Rest,
  { endpoints }: ParsedDocument,
  { credentials }: DocumentSource,
  issues: Issues,
): void {
  const address = credentials.address(rest.baseUrl, `baseUrl of "${name}"`)
  const base = address.ok ? URL.parse(address.value) : null
  if (!base) return
  const elsewhere = endpoints.flatMap((endpoint) => {
    const server = servedElsewhere(endpoint, base)
    return server === undefined ? [] : [{ endpoint, server }]
  })
  const [first] = elsewhere
  if (!first) return
  const { method, path } = first.endpoint
  const others = elsewhere.length > 1 ? `, and ${elsewhere.length - 1} more,` : ''
  issues.warn(
    'BAD_REPO',
    `the API document of "${name}" says that ${method} ${path}${others} is served elsewhere (${first.server}): such requests are refused`,
    { file, fix: 'make a connection with that address for them' },
  )
}

/** A tag or a glob that nothing has is a mistake that would leave out everything. */
function warnOfFilter(
  { name, rest: { filter }, file }: Rest,
  document: ApiDocument,
  base: string,
  { files }: AgentBundle,
  issues: Issues,
): void {
  if (!hasFilter(filter)) return
  const json = jsonFileIn(files, file)
  const warn = (message: string, field: string, index: number): void => {
    issues.warn('BAD_REPO', message, {
      file,
      ...(json && { line: json.lineOf(['filter', field, index]) }),
      fix: 'correct it, or remove it',
    })
  }
  const none = { tags: [], includePaths: [], excludePaths: [] }
  for (const [index, tag] of filter.tags.entries()) {
    if (!document.endpoints.some(({ tags }) => tags.includes(tag)))
      warn(`no operation of the API document of "${name}" has the tag "${tag}"`, 'tags', index)
  }
  for (const [index, glob] of filter.includePaths.entries()) {
    if (filteredDocument(document, { ...none, includePaths: [glob] }, base).endpoints.length === 0)
      warn(`no path of the API document of "${name}" fits "${glob}"`, 'include_paths', index)
  }
}

async function loadOne(
  { name, rest, file: spec }: Rest,
  bundle: AgentBundle,
  source: DocumentSource,
): Promise<Result<Loaded, Problem> | undefined> {
  const cache = bundle.root === undefined ? undefined : new DocumentCache(bundle.root)
  const folder = spec.endsWith('/spec.json') ? posix.dirname(spec) : `connections/${name}`
  for (const file of API_DOCUMENTS) {
    const path = `${folder}/${file}`
    const given = bundle.files.find((one) => one.path === path)?.text
    const text =
      given === undefined ? await readInside(bundle.root, path, source.maxBytes) : ok(given)
    if (!text) continue
    if (!text.ok) return err({ ...text.error, file: path })
    const files = await filesBeside(path, text.value, bundle, source.maxBytes)
    const read = await parsed({ text: text.value, files }, cache, source)
    if (!read.ok) return err({ why: read.error, file: path })
    const missing = missingIn(read.value.document, path, { ...files, '': text.value })
    return ok({ ...read.value, from: path, missing })
  }
  return rest.specUrl === undefined
    ? undefined
    : fetched(name, { ...rest, specUrl: rest.specUrl }, cache, source)
}

async function parsed(
  { text, files }: { readonly text: string; readonly files: DocumentFiles },
  cache: DocumentCache | undefined,
  { now }: DocumentSource,
): Promise<Result<Omit<Loaded, 'from'>, string>> {
  const others = Object.keys(files).length > 0 ? JSON.stringify(files) : ''
  const key = DocumentCache.keyOf(`${text}${others}`)
  const known = await cache?.get(key, now())
  if (known) return ok({ key, document: known.document })
  const read = await parseDocument(text, files)
  if (!read.ok) return read
  await cache?.put(key, read.value)
  return ok({ key, document: read.value })
}

const EVERY_MS = {
  never: Infinity,
  load: 0,
  hourly: 3_600_000,
  daily: 86_400_000,
  weekly: 604_800_000,
} as const

/**
 * The newest copy there is. The first one is waited for, and with `on_push` each; else newer ones
 * are there at the next load. One that cannot be had does not take away the copy.
 */
async function fetched(
  name: string,
  { format, specUrl, sync }: RestSpec & { readonly specUrl: string },
  cache: DocumentCache | undefined,
  source: DocumentSource,
): Promise<Result<Loaded, Problem>> {
  const address = source.credentials.address(specUrl, `specUrl of "${name}"`)
  if (!address.ok) return err({ why: address.error.message })
  const url = URL.parse(address.value)
  if (!url) return err({ why: '`specUrl` is no address' })
  const key = DocumentCache.keyOf(`url ${url.href}`)
  const from = `${url.origin}${url.pathname}`
  const known = await cache?.get(key, source.now())
  const refreshed = async (): Promise<Result<ParsedDocument, Problem>> => {
    const read = await fetchNow(url, key, cache, source, format === 'graphql')
    if (!read.ok && known)
      source.log.warn('api_document.stale', { connection: name, error: read.error.why })
    if (read.ok && known && sync?.notifyDrift === true)
      logDrift(name, known.document, read.value, source.log)
    return read
  }
  const isOld = known && known.ageMs >= (sync ? EVERY_MS[sync.when] : source.refreshMs)
  if (isOld && sync?.when !== 'load') void refreshed()
  const newest = !known || (isOld && sync?.when === 'load') ? await refreshed() : ok(known.document)
  const document = newest.ok || !known ? newest : ok(known.document)
  return document.ok
    ? ok({ key: hashOf(document.value as unknown as Json), from, document: document.value })
    : document
}

/** Tells whoever looks after the connection that the API is not what it was. */
function logDrift(
  connection: string,
  before: ParsedDocument,
  after: ParsedDocument,
  log: Logger,
): void {
  const operations = ({ endpoints }: ParsedDocument): ReadonlyMap<string, string> =>
    new Map(endpoints.map((one) => [`${one.method} ${one.path}`, JSON.stringify(one)]))
  const [old, now] = [operations(before), operations(after)]
  const added = [...now.keys()].filter((name) => !old.has(name))
  const removed = [...old.keys()].filter((name) => !now.has(name))
  const changed = [...now]
    .filter(([name, text]) => old.has(name) && old.get(name) !== text)
    .map(([name]) => name)
  if (added.length + removed.length + changed.length === 0) return
  const few = (names: readonly string[]): readonly string[] => names.slice(0, MOST_NAMES)
  log.warn('api_document.drift', {
    connection,
    added: added.length,
    removed: removed.length,
    changed: changed.length,
    operations: few([...removed, ...changed, ...added]),
  })
}

async function fetchNow(
  url: URL,
  key: string,
  cache: DocumentCache | undefined,
  { outbound, maxBytes }: DocumentSource,
  isGraphql: boolean,
): Promise<Result<ParsedDocument, Problem>> {
  const read = await fetchDocument(url, { outbound, maxBytes, timeoutMs: FETCH_MS, isGraphql })
  if (!read.ok) return read
  await cache?.put(key, read.value.document)
  return ok(read.value.document)
}
