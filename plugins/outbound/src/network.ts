import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent, buildConnector, Dispatcher, fetch, ProxyAgent } from 'undici'
import { refusalOf, type Reach, type Resolve } from './address-refused.ts'
import { ProxiedTargets } from './proxied-target.ts'

/**
 * Called in the tick that writes the request, after the look-up, the connection and the TLS
 * handshake. If it returns an error, the request fails with it and none of its bytes are sent.
 */
export type BeforeWrite = () => Error | undefined

/** How one request goes out. */
export interface Route {
  readonly reach: Reach
  readonly beforeWrite: BeforeWrite
  /** Absent: directly. */
  readonly proxy?: URL | undefined
}

/** Connects to checked addresses only. */
export interface Network {
  /**
   * Loads the HTTP library; the function it returns passes a direct request on in the tick of its
   * call.
   */
  open(): Promise<(url: URL, init: RequestInit, route: Route) => Promise<Response>>
  close(): Promise<void>
}

export interface NetworkOptions {
  /** Replaces the system's own lookup. */
  readonly resolve?: Resolve | undefined
  /** Certificates (PEM) that are trusted in place of those of Node. */
  readonly certificates?: (() => Promise<readonly string[] | undefined>) | undefined
}

/** Proxies whose connections are held. */
const MOST_PROXIES = 20

/** One pool for each reach, so that a public request never reuses a private connection. */
interface Opened {
  readonly fetch: typeof fetch
  readonly agents: Readonly<Record<Reach, Agent>>
  readonly proxyAgent: (proxy: URL, reach: Reach) => Promise<ProxyAgent>
  readonly proxyAgents: ReadonlyMap<string, Promise<ProxyAgent>>
}

/**
 * Creates the network that requests use. A name is looked up once for each connection; all its
 * addresses are checked, and the connection goes to one of those addresses, so that a second DNS
 * response cannot change the target (DNS rebinding). Behind a proxy the target is checked before
 * the proxy is asked for it.
 */
export function createNetwork({
  resolve = systemLookup,
  certificates,
}: NetworkOptions = {}): Network {
  const targets = new ProxiedTargets(resolve)
  let opened: Promise<Opened> | undefined
  return {
    async open() {
      opened ??= load(resolve, certificates)
      const { fetch, agents, proxyAgent } = await opened
      const send = (url: URL, init: RequestInit, agent: Dispatcher, { beforeWrite }: Route) =>
        // The library has the platform's types under names of its own.
        fetch(url, {
          ...init,
          dispatcher: gated(agent, init.body, beforeWrite),
        } as Parameters<typeof fetch>[1]) as unknown as Promise<Response>
      const sendByProxy = async (url: URL, init: RequestInit, proxy: URL, route: Route) => {
        const refusal = await targets.refusal(url, route.reach)
        if (refusal) throw refusal
        return send(url, init, await proxyAgent(proxy, route.reach), route)
      }
      return (url, init, route) =>
        route.proxy
          ? sendByProxy(url, init, route.proxy, route)
          : send(url, init, agents[route.reach], route)
    },
    async close() {
      const { agents, proxyAgents } = (await opened) ?? {}
      const proxies = await Promise.all([...(proxyAgents?.values() ?? [])])
      const all = [...(agents ? [agents.public, agents.private] : []), ...proxies]
      await Promise.all(all.map((agent) => agent.destroy()))
    },
  }
}

/** With the first request: the library is large, and some agents never send one. */
async function load(
  resolve: Resolve,
  certificates: NetworkOptions['certificates'],
): Promise<Opened> {
  const { Agent, buildConnector, fetch } = await import('./undici.ts')
  const trusted = await certificates?.()
  const tls = trusted ? { ca: [...trusted] } : {}
  const agent = (reach: Reach): Agent =>
    new Agent({
      connect: checked(buildConnector({ lookup: checkedLookup(resolve, reach), ...tls }), reach),
    })
  const proxyAgents = new Map<string, Promise<ProxyAgent>>()
  const openProxy = async (proxy: URL): Promise<ProxyAgent> => {
    const { ProxyAgent } = await import('./undici-proxy.ts')
    // a request to http goes to the proxy as such: many allow tunnels to port 443 alone
    return new ProxyAgent({
      uri: proxy.href,
      proxyTunnel: false,
      requestTls: tls,
      proxyTls: tls,
    })
  }
  const proxyAgent = (proxy: URL, reach: Reach): Promise<ProxyAgent> => {
    const key = `${reach} ${proxy.href}`
    const known = proxyAgents.get(key)
    const found = known ?? openProxy(proxy)
    if (!known) proxyAgents.set(key, found)
    const [oldest] = proxyAgents
    if (proxyAgents.size > MOST_PROXIES && oldest) {
      proxyAgents.delete(oldest[0])
      void oldest[1].then((old) => old.close())
    }
    return found
  }
  const agents = { public: agent('public'), private: agent('private') }
  return { fetch, agents, proxyAgent, proxyAgents }
}

/**
 * Calls `beforeWrite` when the connection is established and the request is about to be written. A
 * body whose bytes are known is written in the same tick: the stream that `fetch` makes of it would
 * be read in a later one.
 */
function gated(
  agent: Dispatcher,
  body: RequestInit['body'],
  beforeWrite: BeforeWrite,
): Pick<Dispatcher, 'dispatch'> {
  const known =
    typeof body === 'string' || body instanceof Uint8Array ? Buffer.from(body) : undefined
  return {
    dispatch: (options, handler) =>
      agent.dispatch(
        { ...options, ...(known && { body: known }) },
        {
          ...handler,
          onConnect(abort) {
            const refusal = beforeWrite()
            if (refusal) abort(refusal)
            else handler.onConnect?.call(this, abort)
          },
        },
      ),
  }
}

/** A host that is an IP address is never looked up, so it is checked here. */
function checked(connect: buildConnector.connector, reach: Reach): buildConnector.connector {
  return (options, callback) => {
    const refusal = isIP(options.hostname) > 0 ? refusalOf([options.hostname], reach) : undefined
    if (refusal) callback(refusal, null)
    else connect(options, callback)
  }
}

function checkedLookup(resolve: Resolve, reach: Reach): LookupFunction {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      const refusal =
        error ??
        refusalOf(
          addresses.map(({ address }) => address),
          reach,
        )
      if (refusal || !first)
        done(refusal ?? Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), [])
      else if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
}
