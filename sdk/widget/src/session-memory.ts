/** How long a page remembers its session: over visits, while its tab is open, or not at all. */
export type Memory = 'local' | 'session' | 'none'

/** The session of a page, shared by its tabs. */
export class SessionMemory {
  readonly #memory: Memory
  readonly #name: string
  readonly #channel: BroadcastChannel | undefined

  /** @param onChange called when another tab has begun a session, or something happened in it */
  constructor(name: string, memory: Memory, onChange: () => void) {
    this.#name = `amodal.chat ${name}`
    this.#memory = memory
    if (memory !== 'local') return
    this.#channel = new BroadcastChannel(this.#name)
    this.#channel.onmessage = onChange
  }

  get session(): string | undefined {
    try {
      return this.#storage?.getItem(this.#name) ?? undefined
    } catch {
      return undefined // not allowed to read
    }
  }

  set session(session: string | undefined) {
    try {
      if (session === undefined) this.#storage?.removeItem(this.#name)
      else this.#storage?.setItem(this.#name, session)
    } catch {
      // Full, or not allowed: then it is forgotten with the page.
    }
    this.announce()
  }

  /** Lets the other tabs read the session anew. */
  announce(): void {
    this.#channel?.postMessage('')
  }

  close(): void {
    this.#channel?.close()
  }

  get #storage(): Storage | undefined {
    if (this.#memory === 'none') return undefined
    return this.#memory === 'local' ? localStorage : sessionStorage
  }
}
