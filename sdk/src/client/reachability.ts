/** ms between two checks while the server is unreachable. */
const RETRY_MS = 1_000
const CHECK_LIMIT_MS = 5_000

/** Statuses with which a proxy reports an unreachable server. */
const isAway = (status: number): boolean => status === 502 || status === 504

/** Whether a server can be reached, as far as a conversation needs to know. */
export interface ServerReach {
  readonly isLost: boolean
  /** @returns what ends the subscription */
  subscribe(listener: () => void): () => void
  /** Resolves once the server answers; at once where it does. Rejects when `signal` aborts. */
  back(signal: AbortSignal): Promise<void>
}

/**
 * Whether a server is reachable, as observed by the requests that go through its `fetch`. While it
 * is not, and somebody has subscribed or waits, it is polled.
 *
 * @example
 * const reach = new Reachability({ url: 'http://127.0.0.1:3847' })
 * const client = createClient({ url: 'http://127.0.0.1:3847', fetch: reach.fetch })
 */
export class Reachability implements ServerReach {
  readonly #url: string
  readonly #request: typeof fetch
  readonly #listeners = new Set<() => void>()
  #isLost = false
  #check: ReturnType<typeof setTimeout> | undefined

  /** @param options `url`: address of the server; `fetch`: default: that of the host */
  constructor({ url, fetch: request }: { readonly url: string; readonly fetch?: typeof fetch }) {
    this.#url = url.replace(/\/+$/, '')
    this.#request = request ?? ((input, init) => fetch(input, init))
  }

  get isLost(): boolean {
    return this.#isLost
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#isLost) this.#checkLater()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stopChecking()
    }
  }

  /** `fetch` that observes whether the server is reachable. */
  fetch: typeof fetch = async (input, init) => {
    try {
      const response = await this.#request(input, init)
      this.#found(!isAway(response.status))
      return response
    } catch (cause) {
      if (init?.signal?.aborted !== true) this.#found(false)
      throw cause
    }
  }

  back(signal: AbortSignal): Promise<void> {
    if (!this.#isLost) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        if (this.#isLost && !signal.aborted) return
        leave()
        signal.removeEventListener('abort', settle)
        if (signal.aborted) reject(new DOMException('nobody waits any more', 'AbortError'))
        else resolve()
      }
      const leave = this.subscribe(settle)
      signal.addEventListener('abort', settle)
      if (signal.aborted) settle()
    })
  }

  #found(answers: boolean): void {
    if (this.#isLost === !answers) return
    this.#isLost = !answers
    this.#stopChecking()
    if (this.#isLost && this.#listeners.size > 0) this.#checkLater()
    for (const listener of [...this.#listeners]) listener()
  }

  #checkLater(): void {
    this.#check ??= setTimeout(() => void this.#checkNow(), RETRY_MS)
  }

  #stopChecking(): void {
    clearTimeout(this.#check)
    this.#check = undefined
  }

  /** A server that is starting answers with 503, and takes no messages yet. */
  async #checkNow(): Promise<void> {
    const status = await this.#request(`${this.#url}/health`, {
      signal: AbortSignal.timeout(CHECK_LIMIT_MS),
      cache: 'no-store',
    }).then(
      (response) => response.status,
      () => 0,
    )
    this.#check = undefined
    if (status !== 0 && status !== 503 && !isAway(status)) this.#found(true)
    else if (this.#isLost && this.#listeners.size > 0) this.#checkLater()
  }
}

/** For a client whose requests nobody observes: the next attempt shows whether it is back. */
export const UNOBSERVED: ServerReach = {
  isLost: false,
  subscribe: () => () => undefined,
  back: (signal) => (signal.aborted ? Promise.reject(new Error('aborted')) : Promise.resolve()),
}
