import {
  createContext,
  useContext,
  useEffect,
  useInsertionEffect,
  useMemo,
  useRef,
  type ReactNode,
} from 'react'
import { TokenSource, type Client, type Outbox } from '@amodal/sdk/client'
import { Connection } from './connection/connection.ts'

export interface AmodalProviderProps {
  /** Address of the server. Default: that of the page. */
  readonly url?: string
  /** The same under another name. */
  readonly runtimeUrl?: string
  /** An API key or a token of the person. Never put a key of the server into a page. */
  readonly credential?: string
  /**
   * Path of the page's own server that returns `{ token, expires_at }` of the signed-in person for
   * a `POST`. The token is fetched for the first request, and replaced before it expires.
   */
  readonly tokenUrl?: string
  /** Called before each request, for tokens that expire. Wins over `credential`. */
  readonly getToken?: () => string | undefined | Promise<string | undefined>
  /** The tenant, where the credential does not determine it. */
  readonly scope?: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
  /** Where unfinished messages are stored. Default: `sessionStorage`. */
  readonly outbox?: Outbox
  readonly children?: ReactNode
}

const ConnectionContext = /* @__PURE__ */ createContext<Connection | undefined>(undefined)

/**
 * The server for all hooks and components below. They share what they read, and one connection for
 * what changes.
 *
 * @example
 * <AmodalProvider url="https://agent.example" tokenUrl="/agent-token">
 *   <AmodalChat />
 * </AmodalProvider>
 */
export function AmodalProvider({ children, ...props }: AmodalProviderProps): ReactNode {
  const connection = useNewConnection(props)
  useEffect(() => {
    const update = (): void => connection.changes.setHidden(document.visibilityState === 'hidden')
    update()
    document.addEventListener('visibilitychange', update)
    return () => document.removeEventListener('visibilitychange', update)
  }, [connection])
  return <ConnectionContext.Provider value={connection}>{children}</ConnectionContext.Provider>
}

/** Functions and objects may be others at each rendering: the connection stays the same. */
function useNewConnection(props: Omit<AmodalProviderProps, 'children'>): Connection {
  const { url = props.runtimeUrl ?? '', credential, tokenUrl, scope } = props
  const latest = useRef(props)
  useInsertionEffect(() => {
    latest.current = props
  })
  return useMemo(() => {
    const request: typeof fetch = async (input, init) => {
      const { fetch: send = fetch, getToken, headers } = latest.current
      const token = await getToken?.()
      return send(input, {
        ...init,
        headers: {
          ...Object.fromEntries(new Headers(init?.headers)),
          ...headers,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      })
    }
    const { outbox } = latest.current
    return new Connection({
      url,
      fetch: tokenUrl === undefined ? request : new TokenSource(tokenUrl, request).fetch,
      ...(credential !== undefined && { credential }),
      ...(scope !== undefined && { scope }),
      ...(outbox && { outbox }),
    })
  }, [url, credential, tokenUrl, scope])
}

/** What the provider shares. @internal */
export function useConnection(): Connection {
  const connection = useContext(ConnectionContext)
  if (!connection)
    throw new Error(
      'AMODAL_NO_PROVIDER: this component has no server: put it into <AmodalProvider url="…">',
    )
  return connection
}

/**
 * The client of the server, for whatever has no hook.
 *
 * @example
 * const client = useAmodalClient()
 * const onRemove = () => client.remove(session)
 */
export const useAmodalClient = (): Client => useConnection().client
