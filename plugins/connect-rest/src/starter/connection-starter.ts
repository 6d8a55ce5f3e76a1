import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { err, messageOf, ok, tryAsync, type Outbound, type Result } from '@amodal/sdk'
import type { PartStarter } from '@amodal/plugin-repo-files/tokens'
import { parseText } from '../documents/parse-text.ts'
import { parseDocument } from '../parse-document.ts'
import { connectionPart, type SourceDocument } from './connection-part.ts'

/** ms for fetching a document. */
const FETCH_MS = 30_000

interface Sources {
  readonly outbound: Outbound
  /** Of one document. */
  readonly maxBytes: number
}

/** `amodal add connection NAME`, with `--openapi` from an API document. */
export const connectionStarter = (sources: Sources): PartStarter => ({
  summary: 'an HTTP API, with what the agent may do there',
  options: {
    openapi: {
      type: 'string',
      description: 'Of a connection: its API document (OpenAPI, Swagger), a file or an address',
    },
  },
  async part({ name, options: { openapi }, signal }) {
    if (typeof openapi !== 'string') return ok(connectionPart(name))
    const document = await readSource(openapi, sources, signal)
    return document.ok
      ? ok(connectionPart(name, document.value))
      : err(`--openapi: ${document.error}`)
  },
})

async function readSource(
  from: string,
  sources: Sources,
  signal: AbortSignal,
): Promise<Result<SourceDocument, string>> {
  const text = /^https?:\/\//.test(from)
    ? await fetchText(from, sources, signal)
    : await tryAsync(() => readFile(resolve(from), 'utf8'), messageOf)
  if (!text.ok) return text
  const json = parseText(text.value.replace(/^\uFEFF/, ''))
  if (!json.ok) return err(`${from} is no API document: ${json.error}`)
  const parsed = await parseDocument(text.value)
  return parsed.ok
    ? ok({ from, text: text.value, json: json.value, endpoints: parsed.value.endpoints })
    : err(`${from} is no API document: ${parsed.error}`)
}

async function fetchText(
  url: string,
  { outbound, maxBytes }: Sources,
  signal: AbortSignal,
): Promise<Result<string, string>> {
  const { origin } = new URL(url)
  const response = await outbound.request({
    lease: undefined,
    url,
    method: 'GET',
    headers: { accept: 'application/json, application/yaml, text/*' },
    timeoutMs: FETCH_MS,
    maxBytes,
    // a person named it
    privateOrigin: origin,
    signal,
  })
  if (!response.ok) return err(response.error.message)
  return response.value.status === 200
    ? ok(response.value.text())
    : err(`${url} returned the status ${response.value.status}`)
}
