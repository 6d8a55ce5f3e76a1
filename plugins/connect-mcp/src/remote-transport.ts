import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type AuthProvider,
  type FetchLike,
  type Transport,
} from '@modelcontextprotocol/client'
import { keepingDigits } from '@amodal/sdk/wire'
import { withPlainSchemas } from './listed-schemas.ts'
import { quotingFetch } from './quoting-fetch.ts'

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
  const quoting = quotingFetch(fetch)
  if (transport === 'sse')
    return keepingDigits(
      new SSEClientTransport(url, { fetch: quoting, requestInit, ...authorized }),
      withPlainSchemas,
    )
  const streamable = new StreamableHTTPClientTransport(url, {
    fetch: quoting,
    requestInit,
    ...authorized,
    reconnectionOptions: RECONNECT,
    reconnectionScheduler: (reconnect, ms) => {
      const timer = setTimeout(reconnect, ms)
      timer.unref()
      return () => clearTimeout(timer)
    },
  })
  return keepingDigits(streamable, withPlainSchemas)
}
