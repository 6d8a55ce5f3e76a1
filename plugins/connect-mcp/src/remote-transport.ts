import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type AuthProvider,
  type FetchLike,
  type Transport,
} from '@modelcontextprotocol/client'

export interface RemoteOptions {
  readonly transport: 'sse' | 'http'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Every request leaves through it. */
  readonly fetch: FetchLike
  /** None where the server is not signed in to. */
  readonly authProvider: AuthProvider | undefined
}

/** For the stream of notifications only: calls open connections of their own. */
const RECONNECT = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 10_000,
}

/**
 * A server behind an address. Redirects are followed inside its origin only, and its headers never
 * leave it.
 */
export function remoteTransport({
  transport,
  url,
  headers,
  fetch,
  authProvider,
}: RemoteOptions): Transport {
  const requestInit = { headers: { ...headers } }
  const authorized = authProvider ? { authProvider } : {}
  if (transport === 'sse') return new SSEClientTransport(url, { fetch, requestInit, ...authorized })
  return new StreamableHTTPClientTransport(url, {
    fetch,
    requestInit,
    ...authorized,
    reconnectionOptions: RECONNECT,
    reconnectionScheduler: (reconnect, ms) => {
      const timer = setTimeout(reconnect, ms)
      timer.unref()
      return () => clearTimeout(timer)
    },
  })
}
