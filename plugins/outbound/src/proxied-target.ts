import { isIP } from 'node:net'
import { AddressRefused, refusalOf, type Reach, type Resolve } from './address-refused.ts'

/** ms for which what a name leads to is remembered, and for a look-up before the proxy decides. */
const REMEMBER_MS = 60_000
const LOOKUP_MS = 1_000
const MOST_HOSTS = 1_000

/** Names of private networks, which only their own DNS knows; and names without a dot. */
const PRIVATE_NAME = /^[^.]+$|\.(localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/i

interface Verdict {
  readonly addresses: readonly string[] | undefined
  readonly until: number
}

/**
 * Checks hosts that a proxy connects to: this machine looks their names up, too. Where it cannot,
 * as behind proxies that alone know names outside, the name has to be one of the public DNS, and
 * the proxy's own rules count.
 */
export class ProxiedTargets {
  readonly #resolve: Resolve
  readonly #verdicts = new Map<string, Verdict>()

  constructor(resolve: Resolve) {
    this.#resolve = resolve
  }

  /** Why the host may not be reached; `undefined` where it may. */
  async refusal({ hostname }: URL, reach: Reach): Promise<AddressRefused | undefined> {
    const host = hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) > 0) return refusalOf([host], reach)
    const addresses = await this.#lookUp(host)
    if (addresses) return refusalOf(addresses, reach)
    return reach === 'public' && PRIVATE_NAME.test(host) ? new AddressRefused('private') : undefined
  }

  async #lookUp(host: string): Promise<readonly string[] | undefined> {
    const known = this.#verdicts.get(host)
    if (known && known.until > performance.now()) return known.addresses
    const addresses = await new Promise<readonly string[] | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), LOOKUP_MS)
      this.#resolve(host, { all: true }, (error, found) => {
        clearTimeout(timer)
        resolve(error ? undefined : found.map(({ address }) => address))
      })
    })
    this.#verdicts.delete(host)
    this.#verdicts.set(host, { addresses, until: performance.now() + REMEMBER_MS })
    const [oldest] = this.#verdicts.keys()
    if (this.#verdicts.size > MOST_HOSTS && oldest !== undefined) this.#verdicts.delete(oldest)
    return addresses
  }
}
