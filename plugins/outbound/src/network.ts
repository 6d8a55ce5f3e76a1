import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent, buildConnector, Dispatcher, fetch } from 'undici'
import { kindOf, type AddressKind } from './address-kind.ts'

/** `private`: the agent's own files name the origin, so its host may be on a private network. */
export type Reach = 'public' | 'private'

/** Looks up all addresses of a name, as `dns.lookup` does. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Asked in the tick that writes the request, when looking up, connecting and the TLS handshake are
 * over, however long they took. An error that it returns is what the request fails with, and none
 * of its bytes leave.
 */
export type Departing = () => Error | undefined

/** Connections to checked addresses, and nothing else. */
export interface Network {
  /** Ready to connect: what it gives hands a request over in the tick of its call. */
  open(): Promise<
    (url: URL, init: RequestInit, reach: Reach, departing: Departing) => Promise<Response>
  >
  close(): Promise<void>
}

/**
 * A host with an address that may not be reached. The address is not told: names of a private
 * network are its own matter.
 */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
  readonly kind: Exclude<AddressKind, 'public'>

  constructor(kind: Exclude<AddressKind, 'public'>) {
    super('the address may not be reached')
    this.name = 'AddressRefused'
    this.kind = kind
  }
}

/** A pool for each reach: a connection that one request may have is not there for the other. */
interface Opened {
  readonly fetch: typeof fetch
  readonly agents: Readonly<Record<Reach, Agent>>
}

/**
 * The network as requests may use it. A name is looked up here, once for each connection; all its
 * addresses are checked, and one of these very addresses is connected to, so that no second answer
 * of a name server counts.
 *
 * @param resolve stands for the system's own lookup
 */
export function createNetwork(resolve: Resolve = systemLookup): Network {
  let opened: Promise<Opened> | undefined
  const open = async (): Promise<Opened> => {
    // With the first request: the library is large, and some agents never send one.
    const { Agent, buildConnector, fetch } = await import('./undici.ts')
    const agent = (reach: Reach): Agent =>
      new Agent({
        connect: checked(buildConnector({ lookup: checkedLookup(resolve, reach) }), reach),
      })
    return { fetch, agents: { public: agent('public'), private: agent('private') } }
  }
  return {
    async open() {
      opened ??= open()
      const { fetch, agents } = await opened
      // The library has the platform's types under names of its own.
      return (url, init, reach, departing) =>
        fetch(url, {
          ...init,
          dispatcher: gated(agents[reach], init.body, departing),
        } as Parameters<typeof fetch>[1]) as unknown as Promise<Response>
    },
    async close() {
      const { agents } = (await opened) ?? {}
      if (agents) await Promise.all([agents.public.destroy(), agents.private.destroy()])
    },
  }
}

/**
 * Asks `departing` when the connection is there and the request is about to be written. A body
 * whose bytes are known goes out in that same tick: the stream that `fetch` makes of it would be
 * read in a later one.
 */
function gated(
  agent: Agent,
  body: RequestInit['body'],
  departing: Departing,
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
            const refusal = departing()
            if (refusal) abort(refusal)
            else handler.onConnect?.call(this, abort)
          },
        },
      ),
  }
}

/** A host that is an address itself is never looked up, so it is checked here. */
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

/** One address that may not be reached is enough: which of them is taken is nobody's choice. */
function refusalOf(addresses: readonly string[], reach: Reach): AddressRefused | undefined {
  for (const kind of addresses.map(kindOf)) {
    if (kind === 'closed' || (kind === 'private' && reach === 'public'))
      return new AddressRefused(kind)
  }
  return undefined
}
