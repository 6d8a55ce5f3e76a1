import { port } from './port.ts'

/** `/api/stores/alerts?limit=5` or `/api/stores/alerts/KEY`. */
const DOCUMENTS = /^\/api\/stores\/([^/]+)(?:\/([^/]+))?$/

function addressOf(input: RequestInfo | URL): string {
  if (typeof input === 'string') return input
  return input instanceof URL ? input.href : input.url
}

/**
 * `fetch` of a page: documents of declared stores come through the window around, and everything
 * else is refused.
 */
export async function fetchDocuments(
  input: RequestInfo | URL,
  init?: RequestInit,
): Promise<Response> {
  const request = input instanceof Request ? input : undefined
  const address = addressOf(input)
  const method = (init?.method ?? request?.method ?? 'GET').toUpperCase()
  // The frame has no address of its own, so a path needs one that stands for the server.
  const url = URL.parse(address, 'page://server/')
  const [, store, key] = url?.protocol === 'page:' ? (DOCUMENTS.exec(url.pathname) ?? []) : []
  if (url === null || store === undefined || method !== 'GET')
    throw new TypeError(
      `a page cannot send ${method} ${address}: it reads stores that it declares, with GET /api/stores/NAME`,
    )
  const { status, body } = await port.read({
    store: decodeURIComponent(store),
    ...(key !== undefined && { key: decodeURIComponent(key) }),
    ...(url.search !== '' && { query: url.search.slice(1) }),
  })
  return new Response(body, { status, headers: { 'content-type': 'application/json' } })
}
