import { err, ok, type Failure, type Lease, type Result } from '@amodal/sdk'
import { nameOf, permitted } from './address.ts'
import type { Network, Reach } from './network.ts'
import { nextHop, type Hop } from './redirect.ts'
import { leaseLost, trouble } from './trouble.ts'

export interface Sending {
  readonly method: string
  readonly headers: Headers
  readonly init: RequestInit
  readonly lease?: Lease | undefined
  /** Ends the exchange; the lease's own signal is added to it. */
  readonly signal: AbortSignal | undefined
  /** An origin that may be private for this request, since the agent's own files name it. */
  readonly privateOrigin?: string | undefined
}

/** Where requests may go. */
export interface Ways {
  readonly network: Network
  /** Origins that may be private for every request. */
  readonly privateOrigins: ReadonlySet<string>
  /** Ports of all other origins; any, where they are left out. */
  readonly ports?: readonly number[] | undefined
}

/**
 * Sends a request and follows its redirects. The address is checked and the lease read before each
 * hop, in the tick that hands it to the network. The body of the answer is still to be read.
 */
export async function send(address: string | URL, sending: Sending, ways: Ways): Promise<Result<{ readonly response: Response; readonly url: URL }, Failure>> {
  const { lease, method } = sending
  const own = sending.privateOrigin === undefined ? undefined : URL.parse(sending.privateOrigin)?.origin
  const reachOf = ({ origin }: URL): Reach => (origin === own || ways.privateOrigins.has(origin) ? 'private' : 'public')
  const allowed = (url: URL): Result<URL, Failure> => permitted(url, reachOf(url) === 'private' ? undefined : ways.ports)
  const parsed = permitted(address)
  const start = parsed.ok ? allowed(parsed.value) : parsed
  if (!start.ok) return start
  const signal = joined(sending.signal, lease?.signal)
  const fetch = await ways.network.open()
  let hop: Hop = { url: start.value, headers: sending.headers }
  for (let hops = 0; ; hops++) {
    if (lease !== undefined && lease.left() <= lease.margin) return err(leaseLost(nameOf(hop.url), false))
    let response: Response
    try {
      response = await fetch(hop.url, { ...sending.init, method, headers: hop.headers, redirect: 'manual', signal: signal ?? null }, reachOf(hop.url))
    } catch (cause) {
      return err(trouble(cause, hop.url, { lease, signal: sending.signal }))
    }
    const next = nextHop(response, hop, method, hops, allowed)
    if (next.ok && next.value === undefined) return ok({ response, url: hop.url })
    await letGo(response)
    if (!next.ok) return next
    hop = next.value ?? hop
  }
}

/** Frees the connection of an answer that nobody reads. */
export async function letGo(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined)
}

function joined(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one !== undefined && other !== undefined ? AbortSignal.any([one, other]) : (one ?? other)
}
