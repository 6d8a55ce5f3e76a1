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
 * Called in the tick that writes the request, after the look-up, the connection and the TLS
 * handshake. If it returns an error, the request fails with it and none of its bytes are sent.
 */
export type BeforeWrite = () => Error | undefined

/** Connects to checked addresses only. */
export interface Network {
  /**
   * Loads the HTTP library; the function it returns passes a request on in the tick of its call.
   */
  open(): Promise<
    (url: URL, init: RequestInit, reach: Reach, beforeWrite: BeforeWrite) => Promise<Response>
  >
  close(): Promise<void>
}

/**
 * A host with an address that may not be reached. The error does not contain the address, which
 * could disclose names of a private network.
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

/** One pool for each reach, so that a public request never reuses a private connection. */
interface Opened {
  readonly fetch: typeof fetch
  readonly agents: Readonly<Record<Reach, Agent>>
}

/**
 * Creates the network that requests use. A name is looked up once for each connection; all its
 * addresses are checked, and the connection goes to one of those addresses, so that a second DNS
 * response cannot change the target (DNS rebinding).
 *
 * @param resolve replaces the system's own lookup
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
      return (url, init, reach, beforeWrite) =>
        fetch(url, {
          ...init,
          dispatcher: gated(agents[reach], init.body, beforeWrite),
        } as Parameters<typeof fetch>[1]) as unknown as Promise<Response>
    },
    async close() {
      const { agents } = (await opened) ?? {}
      if (agents) await Promise.all([agents.public.destroy(), agents.private.destroy()])
    },
  }
}

/**
 * Calls `beforeWrite` when the connection is established and the request is about to be written. A
 * body whose bytes are known is written in the same tick: the stream that `fetch` makes of it would
 * be read in a later one.
 */
function gated(
  agent: Agent,
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

/**
 * One forbidden address refuses the host, since which of its addresses is used is not ours to
 * choose.
 */
function refusalOf(addresses: readonly string[], reach: Reach): AddressRefused | undefined {
  for (const kind of addresses.map(kindOf)) {
    if (kind === 'closed' || (kind === 'private' && reach === 'public'))
      return new AddressRefused(kind)
  }
  return undefined
}
