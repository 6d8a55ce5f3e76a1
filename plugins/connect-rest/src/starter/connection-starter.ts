import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { err, messageOf, ok, tryAsync, type Outbound, type Result } from '@amodal/sdk'
import type { PartStarter } from '@amodal/plugin-repo-files/tokens'
import { fetchDocument, type FetchedDocument } from '../documents/fetch-document.ts'
import type { Problem } from '../documents/read-inside.ts'
import { parseDocument } from '../parse-document.ts'
import { connectionPart, type SourceDocument } from './connection-part.ts'

/** ms for fetching a document. */
const FETCH_MS = 30_000

export interface Sources {
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

/**
 * Reads an API document of a file or an address.
 *
 * @param from a path, or an address with `http` or `https`
 * @returns the document; or why there is none, in a line
 */
export async function readSource(
  from: string,
  { outbound, maxBytes }: Sources,
  signal: AbortSignal,
): Promise<Result<SourceDocument, string>> {
  const url = /^https?:\/\//.test(from) ? URL.parse(from) : null
  const read = url
    ? await fetchDocument(url, {
        outbound,
        maxBytes,
        timeoutMs: FETCH_MS,
        isGraphql: /graphql\/?$/i.test(url.pathname),
        signal,
      })
    : await readOwnDocument(from)
  return read.ok
    ? ok({ from, text: read.value.text, document: read.value.document })
    : err(`${from} is no API document: ${read.error.why}`)
}

async function readOwnDocument(path: string): Promise<Result<FetchedDocument, Problem>> {
  const text = await tryAsync(
    () => readFile(resolve(path), 'utf8'),
    (cause) => ({ why: messageOf(cause) }),
  )
  if (!text.ok) return text
  const document = await parseDocument(text.value)
  return document.ok
    ? ok({ text: text.value, document: document.value })
    : err({ why: document.error })
}
