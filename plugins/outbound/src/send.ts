import { err, ok, type Failure, type Lease, type Result } from '@amodal/sdk'
import { nameOf, permitted } from './address.ts'
import type { Network, Reach } from './network.ts'
import { nextHop, type Hop } from './redirect.ts'
import { LeaseLapsed, leaseLost, trouble } from './trouble.ts'

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
 * Sends a request and follows its redirects. The address is checked before each hop; the lease is
 * read before it connects and again in the tick that writes. The body of the answer is still to be
 * read.
 */
export async function send(
  address: string | URL,
  sending: Sending,
  ways: Ways,
): Promise<Result<{ readonly response: Response; readonly url: URL }, Failure>> {
  const { lease, method } = sending
  const own =
    sending.privateOrigin === undefined ? undefined : URL.parse(sending.privateOrigin)?.origin
  const reachOf = ({ origin }: URL): Reach =>
    origin === own || ways.privateOrigins.has(origin) ? 'private' : 'public'
  const allowed = (url: URL): Result<URL, Failure> =>
    permitted(url, reachOf(url) === 'private' ? undefined : ways.ports)
  const parsed = permitted(address)
  const start = parsed.ok ? allowed(parsed.value) : parsed
  if (!start.ok) return start
  const fetch = await ways.network.open()
  let hop: Hop = { url: start.value, headers: sending.headers }
  for (let hops = 0; ; hops++) {
    if (hasLapsed(lease)) return err(leaseLost(nameOf(hop.url), false))
    const departure = new Departure(lease)
    const signal = joined(sending.signal, lease?.signal, departure.signal)
    let response: Response
    try {
      response = await fetch(
        hop.url,
        {
          ...sending.init,
          method,
          headers: hop.headers,
          redirect: 'manual',
          signal: signal ?? null,
        },
        reachOf(hop.url),
        departure.ask,
      )
    } catch (cause) {
      return err(trouble(cause, hop.url, { lease, signal: sending.signal, sent: departure.sent }))
    } finally {
      departure.over()
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

/** Too little of the lease is left to begin anything for its session. */
const hasLapsed = (lease: Lease | undefined): boolean =>
  lease !== undefined && lease.left() <= lease.margin

/**
 * One request on its way to its connection. It is not waited for longer than its lease lasts, and
 * not written after it.
 */
class Departure {
  sent = false
  readonly #lease: Lease | undefined
  readonly #lapsed = new AbortController()
  #timer: NodeJS.Timeout | undefined

  constructor(lease: Lease | undefined) {
    this.#lease = lease
    if (lease) this.#look(lease)
  }

  /** Aborts where the lease ends before the request is written. */
  get signal(): AbortSignal | undefined {
    return this.#lease && this.#lapsed.signal
  }

  /** Asked by the network in the tick that writes. */
  readonly ask = (): Error | undefined => {
    if (hasLapsed(this.#lease)) return new LeaseLapsed()
    this.sent = true
    this.over()
    return undefined
  }

  over(): void {
    clearTimeout(this.#timer)
  }

  /** A lease that was prolonged meanwhile is looked at again when that time is over. */
  #look(lease: Lease): void {
    if (hasLapsed(lease)) return this.#lapsed.abort(new LeaseLapsed())
    this.#timer = setTimeout(
      () => this.#look(lease),
      Math.min(MOST_MS, Math.ceil(lease.left() - lease.margin)),
    )
  }
}

/** The longest time that a timer takes. */
const MOST_MS = 2 ** 31 - 1

function joined(...given: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const signals = given.filter((one) => one !== undefined)
  return signals.length > 1 ? AbortSignal.any(signals) : signals[0]
}
