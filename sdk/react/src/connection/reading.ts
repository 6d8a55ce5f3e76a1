/** What was read last, and how reading it goes. */
export interface ReadingState<T> {
  readonly data: T | undefined
  readonly error: Error | undefined
  /** Nothing was read yet, and it is being read. */
  readonly loading: boolean
}

export interface ReadingSource<T> {
  /** Reads once, or follows: calls `emit` with each value, and ends. */
  readonly read: (emit: (value: T) => void, signal: AbortSignal) => Promise<void>
  /** Subscribes to what makes a value old. @returns what ends that */
  readonly watch?: (refresh: () => void) => () => void
}

/** ms for which a reading goes on without a listener: components are mounted anew. */
const LINGER_MS = 1_000

/**
 * A value of the server that is read while somebody listens, once for all of them. What changes
 * while it is read is read after it, once.
 */
export class Reading<T> {
  readonly #source: ReadingSource<T>
  readonly #listeners = new Set<() => void>()
  /** Listeners that keep nothing alive. */
  readonly #observers = new Set<() => void>()
  #state: ReadingState<T> = { data: undefined, error: undefined, loading: true }
  #running: Promise<void> | undefined
  #leave = new AbortController()
  #isStale = false
  #unwatch: (() => void) | undefined
  #linger: ReturnType<typeof setTimeout> | undefined

  constructor(source: ReadingSource<T>) {
    this.#source = source
  }

  /** The same object until something changes. */
  get state(): ReadingState<T> {
    return this.#state
  }

  get isUsed(): boolean {
    return this.#listeners.size > 0 || this.#linger !== undefined
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    clearTimeout(this.#linger)
    this.#linger = undefined
    if (!this.#unwatch) {
      this.#unwatch = this.#source.watch?.(() => this.refresh()) ?? (() => undefined)
      if (!this.#running || this.#leave.signal.aborted) this.refresh()
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#linger ??= setTimeout(() => this.#stop(), LINGER_MS)
    }
  }

  refresh(): void {
    if (this.#running) this.#isStale = true
    else this.#running = this.#run()
  }

  /** Reads anew, also where something is being followed. */
  restart(): void {
    this.#leave.abort()
    this.refresh()
  }

  /** Resolves once there is a value or an error, for Suspense. Never rejects. */
  settled(): Promise<void> {
    if (!this.#state.loading) return Promise.resolve()
    if (!this.#running) this.refresh()
    return new Promise((resolve) => {
      const leave = this.#observe(() => {
        if (this.#state.loading) return
        leave()
        resolve()
      })
    })
  }

  #observe(listener: () => void): () => void {
    this.#observers.add(listener)
    return () => this.#observers.delete(listener)
  }

  async #run(): Promise<void> {
    do {
      this.#isStale = false
      this.#leave = new AbortController()
      const { signal } = this.#leave
      try {
        await this.#source.read((data) => {
          if (!signal.aborted) this.#set({ data, error: undefined, loading: false })
        }, signal)
      } catch (cause) {
        if (!signal.aborted) this.#set({ ...this.#state, error: errorOf(cause), loading: false })
      }
    } while (this.#isStale)
    this.#running = undefined
  }

  #stop(): void {
    this.#linger = undefined
    this.#unwatch?.()
    this.#unwatch = undefined
    this.#isStale = false
    this.#leave.abort()
  }

  #set(state: ReadingState<T>): void {
    this.#state = state
    for (const listener of [...this.#listeners, ...this.#observers]) listener()
  }
}

const errorOf = (cause: unknown): Error =>
  cause instanceof Error ? cause : new Error(String(cause))
