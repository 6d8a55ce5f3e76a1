import { quotedBody } from '@amodal/sdk/wire'
import type { FetchLike } from '@modelcontextprotocol/client'

/**
 * A `fetch` whose answers keep numbers that no double holds, as `keepingDigits` turns them back.
 * The library reads what comes with `JSON.parse`.
 */
export function quotingFetch(inner: FetchLike): FetchLike {
  return async (input, init) => {
    const response = await inner(input, init)
    const type = response.headers.get('content-type') ?? ''
    const isEvents = /^text\/event-stream\b/i.test(type)
    if (!response.body || !(isEvents || /^application\/json\b/i.test(type))) return response
    const { status, statusText } = response
    const headers = new Headers(response.headers)
    headers.delete('content-length') // it may be another one
    const body = quotedBody(response.body, isEvents ? 'events' : 'document')
    return new Response(body, { status, statusText, headers })
  }
}
