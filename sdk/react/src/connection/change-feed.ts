import { ClientError, type Client, type ServerEvent } from '@amodal/sdk/client'

/** `changed`: events may have been missed, so that whatever was read may be old. */
export type Change = ServerEvent | { readonly type: 'changed' }
type Listener = (change: Change) => void

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

/**
 * What changes on the server, over one connection for all listeners: a browser has six for all of
 * its tabs. There is none while nobody listens, or the page is hidden.
 */
export class ChangeFeed {
  readonly #client: Client
  readonly #listeners = new Set<Listener>()
  #isHidden = false
  #leave: AbortController | undefined
  #last: number | undefined

  constructor(client: Client) {
    this.#client = client
  }

  /** @returns what ends the subscription */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    this.#update()
    return () => {
      this.#listeners.delete(listener)
      this.#update()
    }
  }

  /** A page that is shown once more is told what it has missed. */
  setHidden(isHidden: boolean): void {
    this.#isHidden = isHidden
    this.#update()
  }

  #update(): void {
    const isWanted = this.#listeners.size > 0 && !this.#isHidden
    if (isWanted && !this.#leave) {
      this.#leave = new AbortController()
      void this.#listen(this.#leave.signal)
    } else if (!isWanted && this.#leave) {
      this.#leave.abort()
      this.#leave = undefined
    }
  }

  async #listen(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        const changes = this.#client.changes({ last: this.#last, signal }, () => {
          // What happened before the first connection is not replayed.
          if (this.#last === undefined) this.#announce({ type: 'changed' })
        })
        for await (const event of changes) {
          failures = 0
          this.#last = event.seq
          this.#announce(event.type === 'events_replay_overrun' ? { type: 'changed' } : event)
        }
      } catch (cause) {
        if (isRefused(cause)) return // the caller does without
      }
      await pause(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures), signal)
    }
  }

  #announce(change: Change): void {
    for (const listener of [...this.#listeners]) listener(change)
  }
}

/** The server has no such stream, or not for this caller. */
const isRefused = (cause: unknown): boolean =>
  cause instanceof ClientError && [401, 403, 404].includes(cause.status ?? 0)

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    if (signal.aborted) done()
    else signal.addEventListener('abort', done)
  })
