import { err, ok, type Failure, type Lease, type Result } from '@amodal/sdk'
import { displayUrl, checkUrl } from './address.ts'
import type { Reach } from './address-refused.ts'
import type { Network } from './network.ts'
import { nextHop, type Hop } from './redirect.ts'
import { LeaseLapsed, leaseLost, failureOf } from './request-failure.ts'

export interface Sending {
  readonly method: string
  readonly headers: Headers
  readonly init: RequestInit
  readonly lease?: Lease | undefined
  /** Ends the exchange; the lease's own signal is added to it. */
  readonly signal: AbortSignal | undefined
  /** An origin that may be private for this request, since the agent's own files name it. */
  readonly privateOrigin?: string | undefined
  /** In place of the proxies of the environment: this one, or none. */
  readonly proxy?: URL | false | undefined
}

/** What applies to all requests: the network, and the origins and ports that are allowed. */
export interface SendOptions {
  readonly network: Network
  /** Origins that may be private for every request. */
  readonly privateOrigins: ReadonlySet<string>
  /** The proxy that requests to a URL go through; none when omitted. */
  readonly proxyFor?: ((url: URL) => URL | undefined) | undefined
  /** Allowed ports of all other origins; all when omitted. */
  readonly ports?: readonly number[] | undefined
}

/**
 * Sends a request and follows its redirects. The address is checked before each hop; the lease is
 * checked before it connects and again in the tick that writes. The caller reads the response body.
 */
export async function send(
  address: string | URL,
  sending: Sending,
  options: SendOptions,
): Promise<Result<{ readonly response: Response; readonly url: URL }, Failure>> {
  const { lease, method } = sending
  const own =
    sending.privateOrigin === undefined ? undefined : URL.parse(sending.privateOrigin)?.origin
  const reachOf = ({ origin }: URL): Reach =>
    origin === own || options.privateOrigins.has(origin) ? 'private' : 'public'
  const allowed = (url: URL): Result<URL, Failure> =>
    checkUrl(url, reachOf(url) === 'private' ? undefined : options.ports)
  const proxyOf = (url: URL): URL | undefined =>
    sending.proxy === undefined ? options.proxyFor?.(url) : sending.proxy || undefined
  const parsed = checkUrl(address)
  const start = parsed.ok ? allowed(parsed.value) : parsed
  if (!start.ok) return start
  const fetch = await options.network.open()
  let hop: Hop = { url: start.value, headers: sending.headers }
  for (let hops = 0; ; hops++) {
    if (hasLapsed(lease)) return err(leaseLost(displayUrl(hop.url), false))
    const write = new PendingWrite(lease)
    const signal = combinedSignal(sending.signal, lease?.signal, write.signal)
    const proxy = proxyOf(hop.url)
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
        { reach: reachOf(hop.url), beforeWrite: write.beforeWrite, proxy },
      )
    } catch (cause) {
      return err(
        failureOf(cause, hop.url, { lease, proxy, signal: sending.signal, sent: write.sent }),
      )
    } finally {
      write.done()
    }
    const next = nextHop(response, hop, method, hops, allowed)
    if (next.ok && next.value === undefined) return ok({ response, url: hop.url })
    await discardBody(response)
    if (!next.ok) return next
    hop = next.value ?? hop
  }
}

/** Frees the connection of a response that is not read. */
export async function discardBody(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined)
}

/** Whether too little of the lease is left to send anything for its session. */
const hasLapsed = (lease: Lease | undefined): boolean =>
  lease !== undefined && lease.remainingMs() <= lease.margin

/**
 * A request that has not been written yet. It is aborted when its lease ends, and never written
 * after that.
 */
class PendingWrite {
  sent = false
  readonly #lease: Lease | undefined
  readonly #lapsed = new AbortController()
  #timer: NodeJS.Timeout | undefined

  constructor(lease: Lease | undefined) {
    this.#lease = lease
    if (lease) this.#watchLease(lease)
  }

  /** Aborts where the lease ends before the request is written. */
  get signal(): AbortSignal | undefined {
    return this.#lease && this.#lapsed.signal
  }

  /** Called by the network in the tick that writes. */
  readonly beforeWrite = (): Error | undefined => {
    if (hasLapsed(this.#lease)) return new LeaseLapsed()
    this.sent = true
    this.done()
    return undefined
  }

  done(): void {
    clearTimeout(this.#timer)
  }

  /** Checks the lease when it would end; if it was renewed meanwhile, waits for its new end. */
  #watchLease(lease: Lease): void {
    if (hasLapsed(lease)) return this.#lapsed.abort(new LeaseLapsed())
    this.#timer = setTimeout(
      () => this.#watchLease(lease),
      Math.min(MAX_TIMER_MS, Math.ceil(lease.remainingMs() - lease.margin)),
    )
  }
}

/** The longest delay that a timer supports. */
const MAX_TIMER_MS = 2 ** 31 - 1

function combinedSignal(...given: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const signals = given.filter((one) => one !== undefined)
  return signals.length > 1 ? AbortSignal.any(signals) : signals[0]
}
