import { deadline, err, messageOf, ok, onAbort, type Failure, type Result } from '@amodal/kernel'
import { failure } from '../errors.ts'
import { sqlstateOf } from './failures.ts'

export interface BatchOptions<Item, Outcome extends object> {
  /** What is written, for messages: `the outcome of jobs`. */
  readonly what: string
  /** Items with the same key are written in order and never in the same batch. */
  readonly keyOf: (item: Item) => string
  /** Characters that an item adds to a statement. */
  readonly sizeOf: (item: Item) => number
  /** Writes all items or none; returns one outcome per item, in order. */
  readonly write: (
    items: readonly Item[],
    signal: AbortSignal,
  ) => Promise<Result<readonly Outcome[], Failure>>
  /** Called with an outcome whose caller has stopped waiting. */
  readonly resultUnclaimed?: (item: Item, outcome: Outcome) => void
  /** Batches written at the same time. */
  readonly concurrency: number
  /** ms for one batch. */
  readonly timeoutMs: number
}

interface PendingItem<Item, Outcome> {
  readonly item: Item
  readonly settle: (outcome: Result<Outcome, Failure>) => boolean
}

const MAX_ITEMS = 128
const MAX_ATTEMPTS = 4
const MAX_CHARACTERS = 1_000_000

/**
 * One item may be to blame for its whole batch, by its data or by the order in which locks were
 * taken: then each is written alone.
 */
const isItemFault = (failed: Failure): boolean => /^(22|23|40|54)/.test(sqlstateOf(failed) ?? '')

/** A deadlock, or another order of writes: this one was undone in favour of another. */
const isWriteConflict = (failed: Failure): boolean => /^40/.test(sqlstateOf(failed) ?? '')

/**
 * Writes together what comes together: items submitted while a batch is being written form the next
 * one. There is no timer: an item submitted while nothing is being written is sent in the same turn
 * of the event loop.
 *
 * @example
 * import { ok } from '@amodal/sdk'
 * import { Batches } from '@amodal/sdk/database'
 *
 * const notes = new Batches<string, { readonly kept: boolean }>({
 *   what: 'notes',
 *   keyOf: (note) => note,
 *   sizeOf: ({ length }) => length,
 *   write: async (together) => ok(together.map(() => ({ kept: true }))),
 *   concurrency: 1,
 *   timeoutMs: 10_000,
 * })
 * const kept = await notes.submit('remember this', AbortSignal.timeout(1_000))
 * // → { ok: true, value: { kept: true } }
 */
export class Batches<Item, Outcome extends object> {
  readonly #options: BatchOptions<Item, Outcome>
  #pending: PendingItem<Item, Outcome>[] = []
  readonly #keysInFlight = new Set<string>()
  #inFlight = 0
  #scheduled = false

  constructor(options: BatchOptions<Item, Outcome>) {
    this.#options = options
  }

  /**
   * Resolves with the item's own outcome. When `signal` aborts, it resolves with a failure; an item
   * that is already being written is not cancelled.
   */
  submit(item: Item, signal: AbortSignal): Promise<Result<Outcome, Failure>> {
    if (signal.aborted) return Promise.resolve(err(this.#waitAborted(signal)))
    return new Promise((resolve) => {
      let open = true
      const settle = (outcome: Result<Outcome, Failure>): boolean => {
        if (!open) return false
        open = false
        stopListening()
        resolve(outcome)
        return true
      }
      const waiting: PendingItem<Item, Outcome> = { item, settle }
      const stopListening = onAbort(signal, () => {
        this.#pending = this.#pending.filter((one) => one !== waiting)
        settle(err(this.#waitAborted(signal)))
      })
      this.#pending.push(waiting)
      this.#schedule()
    })
  }

  /** The caller stopped waiting; the write may still be committed. */
  #waitAborted({ reason }: AbortSignal): Failure {
    return failure(
      'STORE_FAILED',
      `nobody waits for ${this.#options.what} any more: ${messageOf(reason)}`,
      { details: { aborted: true, connection: true }, cause: reason },
    )
  }

  /** Runs after this turn of the event loop, so that all its items are in one batch. */
  #schedule(): void {
    if (
      this.#scheduled ||
      this.#pending.length === 0 ||
      this.#inFlight >= this.#options.concurrency
    )
      return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      void this.#writeNextBatch()
    })
  }

  async #writeNextBatch(): Promise<void> {
    const batch = this.#nextBatch()
    if (batch.length === 0) return
    this.#inFlight++
    this.#schedule()
    try {
      await this.#write(batch)
    } finally {
      this.#inFlight--
      for (const { item } of batch) this.#keysInFlight.delete(this.#options.keyOf(item))
      this.#schedule()
    }
  }

  #nextBatch(): readonly PendingItem<Item, Outcome>[] {
    const { keyOf, sizeOf } = this.#options
    const batch: PendingItem<Item, Outcome>[] = []
    const remaining: PendingItem<Item, Outcome>[] = []
    const blockedKeys = new Set(this.#keysInFlight)
    let size = 0
    for (const one of this.#pending) {
      const key = keyOf(one.item)
      const characters = sizeOf(one.item)
      const fits =
        batch.length === 0 || (batch.length < MAX_ITEMS && size + characters <= MAX_CHARACTERS)
      if (fits && !blockedKeys.has(key)) {
        batch.push(one)
        size += characters
      } else remaining.push(one)
      blockedKeys.add(key)
    }
    for (const { item } of batch) this.#keysInFlight.add(keyOf(item))
    this.#pending = remaining
    return batch
  }

  async #write(batch: readonly PendingItem<Item, Outcome>[], attempt = 1): Promise<void> {
    const { write, timeoutMs } = this.#options
    const limit = deadline(undefined, timeoutMs)
    const written = await write(
      batch.map(({ item }) => item),
      limit.signal,
    ).catch((cause: unknown) =>
      err(failure('INTERNAL', `a batch could not be made: ${messageOf(cause)}`, { cause })),
    )
    limit.clear()
    if (!written.ok && batch.length > 1 && isItemFault(written.error)) {
      for (const one of batch) await this.#write([one])
      return
    }
    if (!written.ok && attempt < MAX_ATTEMPTS && isWriteConflict(written.error))
      return this.#write(batch, attempt + 1)
    this.#tell(batch, written)
  }

  #tell(
    batch: readonly PendingItem<Item, Outcome>[],
    written: Result<readonly Outcome[], Failure>,
  ): void {
    for (const [at, { item, settle }] of batch.entries()) {
      const outcome = written.ok ? written.value[at] : undefined
      if (outcome === undefined)
        settle(written.ok ? err(failure('INTERNAL', 'the database left out an answer')) : written)
      else if (!settle(ok(outcome))) this.#options.resultUnclaimed?.(item, outcome)
    }
  }
}
