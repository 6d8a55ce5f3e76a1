import {
  deadline,
  err,
  failure,
  messageOf,
  ok,
  type Failure,
  type Result,
  onAbort,
} from '@amodal/sdk'

export interface BatchOptions<Item, Answer extends object> {
  /** Two items of one key never travel together, and keep their order. */
  readonly keyOf: (item: Item) => string
  /** Characters it adds to a statement. */
  readonly sizeOf: (item: Item) => number
  /** Writes them all or none; one answer per item, in their order. */
  readonly write: (
    items: readonly Item[],
    signal: AbortSignal,
  ) => Promise<Result<readonly Answer[], Failure>>
  /** Nothing was written because of one of the items: each is tried by itself. */
  readonly oneIsBad: (failure: Failure) => boolean
  /** Nothing was written because others were at it: the same again may well succeed. */
  readonly inTheWay: (failure: Failure) => boolean
  /** What a caller is told who stopped waiting. */
  readonly left: (signal: AbortSignal) => Failure
  /** Told of an answer that nobody waits for any more. */
  readonly unheard?: (item: Item, answer: Answer) => void
  /** Batches on their way at once. */
  readonly flights: number
  /** ms for one batch. */
  readonly timeoutMs: number
}

interface Waiting<Item, Answer> {
  readonly item: Item
  readonly settle: (answer: Result<Answer, Failure>) => boolean
}

const MOST_ITEMS = 128
const MOST_TRIES = 4
const MOST_CHARACTERS = 1_000_000

/**
 * Items that come while a batch is on its way leave together with the next one. There is no timer:
 * an item that finds nothing on its way leaves in the same turn of the event loop.
 */
export class Batches<Item, Answer extends object> {
  readonly #options: BatchOptions<Item, Answer>
  #waiting: Waiting<Item, Answer>[] = []
  readonly #away = new Set<string>()
  #flights = 0
  #called = false

  constructor(options: BatchOptions<Item, Answer>) {
    this.#options = options
  }

  /**
   * Resolves with the item's own answer. When `signal` aborts the caller is let go; an item on its
   * way is written all the same.
   */
  submit(item: Item, signal: AbortSignal): Promise<Result<Answer, Failure>> {
    if (signal.aborted) return Promise.resolve(err(this.#options.left(signal)))
    return new Promise((resolve) => {
      let open = true
      const settle = (answer: Result<Answer, Failure>): boolean => {
        if (!open) return false
        open = false
        leave()
        resolve(answer)
        return true
      }
      const waiting: Waiting<Item, Answer> = { item, settle }
      const leave = onAbort(signal, () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting)
        settle(err(this.#options.left(signal)))
      })
      this.#waiting.push(waiting)
      this.#call()
    })
  }

  /** After this turn of the event loop, so that all that it brings travels together. */
  #call(): void {
    if (this.#called || this.#waiting.length === 0 || this.#flights >= this.#options.flights) return
    this.#called = true
    setImmediate(() => {
      this.#called = false
      void this.#fly()
    })
  }

  async #fly(): Promise<void> {
    const batch = this.#take()
    if (batch.length === 0) return
    this.#flights++
    this.#call()
    try {
      await this.#write(batch)
    } finally {
      this.#flights--
      for (const { item } of batch) this.#away.delete(this.#options.keyOf(item))
      this.#call()
    }
  }

  #take(): readonly Waiting<Item, Answer>[] {
    const { keyOf, sizeOf } = this.#options
    const batch: Waiting<Item, Answer>[] = []
    const kept: Waiting<Item, Answer>[] = []
    const behind = new Set(this.#away)
    let size = 0
    for (const one of this.#waiting) {
      const key = keyOf(one.item)
      const characters = sizeOf(one.item)
      const fits =
        batch.length === 0 || (batch.length < MOST_ITEMS && size + characters <= MOST_CHARACTERS)
      if (fits && !behind.has(key)) {
        batch.push(one)
        size += characters
      } else kept.push(one)
      behind.add(key)
    }
    for (const { item } of batch) this.#away.add(keyOf(item))
    this.#waiting = kept
    return batch
  }

  async #write(batch: readonly Waiting<Item, Answer>[], tries = 1): Promise<void> {
    const { write, oneIsBad, inTheWay, timeoutMs } = this.#options
    const limit = deadline(undefined, timeoutMs)
    const written = await write(
      batch.map(({ item }) => item),
      limit.signal,
    ).catch((cause: unknown) =>
      err(failure('INTERNAL', `a batch could not be made: ${messageOf(cause)}`, { cause })),
    )
    limit.clear()
    if (!written.ok && batch.length > 1 && oneIsBad(written.error)) {
      for (const one of batch) await this.#write([one])
      return
    }
    if (!written.ok && tries < MOST_TRIES && inTheWay(written.error))
      return this.#write(batch, tries + 1)
    for (const [at, { item, settle }] of batch.entries()) {
      const answer = written.ok ? written.value[at] : undefined
      if (answer === undefined)
        settle(written.ok ? err(failure('INTERNAL', 'the database left out an answer')) : written)
      else if (!settle(ok(answer))) this.#options.unheard?.(item, answer)
    }
  }
}
