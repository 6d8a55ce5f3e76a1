import { deadline, err, ok, type Outbound, type Result } from '@amodal/sdk'
import { parseDocument } from '../parse-document.ts'
import { introspectionQuery, sdlOf } from './graphql-schema.ts'
import type { ParsedDocument } from './parsed-document.ts'
import { SHORTER, type Problem } from './read-inside.ts'

export interface FetchOptions {
  readonly outbound: Outbound
  /** Of the document. */
  readonly maxBytes: number
  /** ms for one exchange. */
  readonly timeoutMs: number
  /** A GraphQL service may stand at the address, which is then asked for its schema. */
  readonly isGraphql?: boolean
  readonly signal?: AbortSignal
}

export interface FetchedDocument {
  /** As it was served; the schema of a GraphQL service in SDL. */
  readonly text: string
  readonly document: ParsedDocument
}

/**
 * Fetches an API document from its address.
 *
 * @returns the text with what was read from it; or why there is none
 * @example await fetchDocument(new URL('https://api.example.com/openapi.json'), options)
 */
export async function fetchDocument(
  url: URL,
  options: FetchOptions,
): Promise<Result<FetchedDocument, Problem>> {
  const served = await exchange(url, options)
  const read = served.ok ? await documentOf(served.value) : served
  if (read.ok || options.isGraphql !== true) return read
  const answer = await exchange(url, options, introspectionQuery())
  if (!answer.ok) return answer
  const schema = sdlOf(answer.value)
  return schema.ok ? documentOf(schema.value) : err({ why: schema.error })
}

/** @returns the text of the answer; with a `query`, to this query of GraphQL */
async function exchange(
  url: URL,
  { outbound, maxBytes, timeoutMs, signal }: FetchOptions,
  query?: string,
): Promise<Result<string, Problem>> {
  const limit = deadline(signal, timeoutMs)
  const answer = await outbound.request({
    lease: undefined,
    url: url.href,
    method: query === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json, application/yaml, text/*',
      ...(query !== undefined && { 'content-type': 'application/json' }),
    },
    ...(query !== undefined && { body: JSON.stringify({ query }) }),
    timeoutMs,
    maxBytes,
    // A person named it.
    privateOrigin: url.origin,
    signal: limit.signal,
  })
  limit.clear()
  if (!answer.ok)
    return err({
      why: answer.error.message,
      ...(answer.error.code === 'TOO_LARGE' && { fix: SHORTER }),
    })
  return answer.value.status === 200
    ? ok(answer.value.text())
    : err({ why: `${url.origin}${url.pathname} answered ${answer.value.status}` })
}

async function documentOf(text: string): Promise<Result<FetchedDocument, Problem>> {
  const document = await parseDocument(text)
  return document.ok ? ok({ text, document: document.value }) : err({ why: document.error })
}
