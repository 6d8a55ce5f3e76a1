import { readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import {
  deadline, err, hashOf, ok, tryAsync, type AgentBundle, type ApiDocument, type Connection, type Json, type Logger, type Outbound, type RestSpec, type Result,
} from '@amodal/sdk'
import { API_DOCUMENTS, Issues } from '@amodal/sdk/files'
import type { Credentials } from '../credentials.ts'
import { DocumentCache } from './document-cache.ts'
import { filterEndpoints } from './filter.ts'
import { readDocument, type ReadDocument } from './read-document.ts'

const FETCH_MS = 5_000

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

interface Loaded { readonly key: string; readonly from: string; readonly document: ReadDocument }

/** The bundle with the API documents of its connections. One that cannot be read is a problem that is told, and no more. */
export async function loadDocuments(bundle: AgentBundle, connections: readonly (Connection & { readonly rest: RestSpec })[], source: DocumentSource): Promise<AgentBundle> {
  const issues = new Issues()
  const loaded = await Promise.all(connections.map(async ({ name, rest, file }) => {
    const found = await loadOne(name, rest, bundle, source)
    if (!found) return []
    if (found.ok) return [[name, rest, found.value] as const]
    issues.warn('BAD_REPO', `the API document of "${name}" is not used: ${found.error.why}`, { file: found.error.file ?? file, fix: 'correct it, or remove it' })
    return []
  }))
  const documents = loaded.flat()
  if (documents.length === 0) return { ...bundle, issues: [...bundle.issues, ...issues.sorted()] }
  const parts = Object.fromEntries(documents.map(([name, { filter }, { document, from }]): [string, ApiDocument] =>
    [name, { ...document, from, endpoints: filterEndpoints(document.endpoints, filter) }]))
  return {
    ...bundle, hash: hashOf([bundle.hash, ...documents.map(([name, , { key }]) => `${name} ${key}`)]), issues: [...bundle.issues, ...issues.sorted()],
    parts: { ...bundle.parts, 'api-documents': parts as unknown as Json }, // made of texts, numbers and lists
  }
}

type Problem = { readonly why: string; readonly file?: string }

async function loadOne(name: string, rest: RestSpec, bundle: AgentBundle, source: DocumentSource): Promise<Result<Loaded, Problem> | undefined> {
  const cache = bundle.root === undefined ? undefined : new DocumentCache(bundle.root)
  for (const file of API_DOCUMENTS) {
    const path = `connections/${name}/${file}`
    const given = bundle.files.find((one) => one.path === path)?.text
    const text = given === undefined ? await readInside(bundle.root, path, source.maxBytes) : ok(given)
    if (!text) continue
    const read = text.ok ? await parsed(DocumentCache.keyOf(text.value), text.value, cache, source) : text
    return read.ok ? ok({ ...read.value, from: path }) : err({ why: read.error, file: path })
  }
  return rest.specUrl === undefined ? undefined : fetched(name, rest.specUrl, cache, source)
}

async function parsed(key: string, text: string, cache: DocumentCache | undefined, { now }: DocumentSource): Promise<Result<Omit<Loaded, 'from'>, string>> {
  const known = await cache?.get(key, now())
  if (known) return ok({ key, document: known.document })
  const read = readDocument(text)
  if (!read.ok) return read
  await cache?.put(key, read.value)
  return ok({ key, document: read.value })
}

/** A file of the agent, however long; `undefined` where there is none. Links out of the folder are not followed. */
async function readInside(root: string | undefined, path: string, maxBytes: number): Promise<Result<string, string> | undefined> {
  if (root === undefined) return undefined
  const real = await tryAsync(() => realpath(join(root, path)), () => undefined)
  if (!real.ok) return undefined
  if (!real.value.startsWith(`${root}${sep}`)) return err('the link leads out of the agent folder')
  const read = await tryAsync(async () => ((await stat(real.value)).size > maxBytes ? undefined : readFile(real.value, 'utf8')), () => 'it cannot be read')
  if (!read.ok) return read
  return read.value === undefined ? err(`it is longer than ${maxBytes} bytes`) : ok(read.value)
}

/** The newest copy there is; the first one is waited for, newer ones are there at the next load. */
async function fetched(name: string, specUrl: string, cache: DocumentCache | undefined, source: DocumentSource): Promise<Result<Loaded, Problem>> {
  const address = source.credentials.address(specUrl, `specUrl of "${name}"`)
  if (!address.ok) return err({ why: address.error.message })
  const url = URL.parse(address.value)
  if (!url) return err({ why: '`specUrl` is no address' })
  const key = DocumentCache.keyOf(`url ${url.href}`)
  const from = `${url.origin}${url.pathname}`
  const known = await cache?.get(key, source.now())
  if (known && known.ageMs > source.refreshMs) void fetchNow(url, key, cache, source).then((read) => { if (!read.ok) source.log.warn('api_document.stale', { connection: name, error: read.error }) })
  const document = known ? ok(known.document) : await fetchNow(url, key, cache, source)
  return document.ok ? ok({ key: hashOf(document.value as unknown as Json), from, document: document.value }) : err({ why: document.error })
}

async function fetchNow(url: URL, key: string, cache: DocumentCache | undefined, { outbound, maxBytes }: DocumentSource): Promise<Result<ReadDocument, string>> {
  const limit = deadline(undefined, FETCH_MS)
  const answer = await outbound.request({ url: url.href, method: 'GET', headers: { accept: 'application/json, application/yaml, text/*' }, timeoutMs: FETCH_MS, maxBytes, privateOrigin: url.origin, signal: limit.signal })
  limit.clear()
  if (!answer.ok) return err(answer.error.message)
  if (answer.value.status !== 200) return err(`${url.origin}${url.pathname} answered ${answer.value.status}`)
  const read = readDocument(answer.value.text())
  if (read.ok) await cache?.put(key, read.value)
  return read
}
