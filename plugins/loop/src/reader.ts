import {
  type AgentEvent,
  type Clock,
  type Failure,
  type FrameId,
  isAtRest,
  type SessionRef,
  type LeaseRow,
  type SequencedEntry,
  readEntries,
  type SessionStore,
  type SetAside,
  sleep,
} from '@amodal/sdk'
import { askStore } from '@amodal/sdk/loop'
import type { FrameQueue } from './frame-queue.ts'
import type { LiveLog } from './live-log.ts'

/** What a reader follows: one message's turn, or the session from a place on. */
export interface ReadTarget {
  readonly ref: SessionRef
  readonly key?: string
  readonly from: FrameId
}

export interface ReaderParts {
  readonly clock: Clock
  readonly settings: { readonly pollMs: number; readonly storeMs: number }
  /** Nothing more will come from here. */
  readonly closed: boolean
  store(): SessionStore
  live(ref: SessionRef): LiveLog | undefined
  /** Resolves when the session has something new, or after `ms`. */
  news(ref: SessionRef, ms: number, signal: AbortSignal): Promise<void>
  /** What a committed entry tells, after its last rewrite. */
  shown(ref: SessionRef, entry: SequencedEntry): readonly AgentEvent[]
}

/**
 * Made once: an abort without a reason makes an error with its stack each time, which costs a
 * twentieth of a millisecond.
 */
const CLOSED = new Error('the stream was closed')

/**
 * Feeds a queue from wherever the run is: the live log here, or the committed entries that another
 * instance writes. Gapless, or after a `reset`. Ends with the turn it follows.
 */
export class Reader {
  readonly #parts: ReaderParts
  readonly #wanted: ReadTarget
  readonly #queue: FrameQueue
  readonly #stop = new AbortController()
  #seq: number
  /** The run whose entries are wanted; unknown until its message is found. */
  #run: string | undefined

  constructor(parts: ReaderParts, wanted: ReadTarget, queue: FrameQueue) {
    this.#parts = parts
    this.#wanted = wanted
    this.#queue = queue
    this.#seq = wanted.from.seq
    queue.onClose(() => this.#stop.abort(CLOSED))
  }

  /** Never rejects: a store that fails ends the stream, and the client resumes. */
  async read(): Promise<void> {
    const { from } = this.#wanted
    const live = this.#live()
    // The very place is still in memory: go on without a seam.
    const position =
      live?.after(from) ?? (from.n === 0 && from.seq === live?.head ? live.mark : undefined)
    if (live && position !== undefined && this.join(live, position)) return
    if (from.n > 0) this.#reset()
    await this.#followJournal()
  }

  /**
   * The same for somebody who was here before: the place may be in the middle of the turn that is
   * wanted.
   */
  async resume(): Promise<void> {
    const { key, from, ref } = this.#wanted
    for (let size = 100; key !== undefined && from.seq > 0; size *= 10) {
      const after = Math.max(0, from.seq - size)
      const stored = await this.#ask((signal) =>
        this.#parts.store().entries(ref, { after, upto: from.seq }, signal),
      )
      const entries = stored.ok ? readEntries(stored.value) : stored
      // Without its run, what it wants would be passed over as somebody else's: the client resumes
      // instead.
      if (!entries.ok) return this.#fail(entries.error)
      const opening = entries.value.findLast((entry) => entry.kind === 'user_message')
      if (opening?.kind === 'user_message' && opening.key === key) this.#run = opening.run
      if (opening || after === 0) break
    }
    await this.read()
  }

  /**
   * Goes along with a live log; where that ends without `done`, it goes on from the journal.
   * `false`: the place is not kept any more.
   */
  join(live: LiveLog, position: number): boolean {
    if (!live.join(this.#queue, position)) return false
    live.onEnd((end) => {
      if (this.#queue.ended) return
      if (end === 'done' || end === 'doubt') return this.#queue.end()
      this.#seq = Math.max(this.#seq, live.head)
      // What was begun before may have been forgotten with all it did: the newest is the run that
      // the journal knows.
      if (this.#wanted.key !== undefined) this.#run = live.run ?? this.#run
      // what was sent since the last commit is made again by somebody else
      if (live.ahead) this.#reset()
      void this.#followJournal()
    })
    return true
  }

  async #followJournal(): Promise<void> {
    while (!this.#queue.ended && !this.#parts.closed) {
      const live = this.#running()
      // Further than the log: a commit is made whose answer is still on its way. It must not be
      // told twice.
      if (live && this.#seq === live.head && this.join(live, live.mark)) return
      const lease = live ? undefined : await this.#session()
      const head = (live ?? lease)?.head
      if (head === undefined || (await this.#catchUp(head, lease))) break
    }
    this.#queue.end()
  }

  /** Tells what is in the journal, or waits for more. `true`: nothing more will come. */
  async #catchUp(head: number, lease: LeaseRow | undefined): Promise<boolean> {
    if (head > this.#seq) return this.#replay(head)
    if (lease && this.#isOver(lease)) return true
    await this.#parts.news(this.#wanted.ref, this.#parts.settings.pollMs, this.#stop.signal)
    return false
  }

  /** The live log of a turn that has not ended. */
  #running(): LiveLog | undefined {
    const found = this.#live()
    return found?.ended === undefined ? found : undefined
  }

  /** Nothing more will come by itself; the reader is told where that needs a person. */
  #isOver(lease: LeaseRow): boolean {
    if (lease.setAside === undefined) return isAtRest(lease)
    const { code, message } = JSON.parse(lease.setAside) as SetAside // written by the loop
    this.#push({ type: 'error', code, message: `The session is set aside: ${message}.` })
    this.#push({ type: 'done', reason: 'error' })
    return true
  }

  /** Sends committed entries up to `upto`. `true`: the turn has ended, or nothing can be read. */
  async #replay(upto: number): Promise<boolean> {
    const { ref, key } = this.#wanted
    const stored = await this.#ask((signal) =>
      this.#parts.store().entries(ref, { after: this.#seq, upto }, signal),
    )
    const entries = stored.ok ? readEntries(stored.value) : stored
    if (!entries.ok) {
      this.#push({ type: 'error', code: entries.error.code, message: entries.error.message })
      return true
    }
    for (const entry of entries.value) {
      if (key !== undefined && entry.kind === 'user_message' && entry.key === key)
        this.#run = entry.run
      const wanted = key === undefined || entry.run === this.#run
      if (wanted) this.#send(entry)
      this.#seq = entry.seq
      if (wanted && entry.kind === 'run_ended') return true
    }
    this.#seq = upto // also where they have expired
    return false
  }

  /** The live log of the turn that is wanted. */
  #live(): LiveLog | undefined {
    const { ref, key } = this.#wanted
    const live = this.#parts.live(ref)
    return key === undefined || live?.key === key ? live : undefined
  }

  // Frames made from entries have the fencing token 0: places within a live log are never taken for
  // theirs.

  #send(entry: SequencedEntry): void {
    const events = this.#parts.shown(this.#wanted.ref, entry)
    events.forEach((event, index) => {
      const last = index === events.length - 1
      this.#queue.push({
        id: {
          seq: last ? entry.seq : entry.seq - 1,
          fencingToken: 0,
          attempt: 0,
          n: last ? 0 : index + 1,
        },
        at: entry.at,
        event,
      })
    })
  }

  /** Something that is no entry, behind the last one. */
  #push(event: AgentEvent): void {
    this.#queue.push({
      id: { seq: this.#seq, fencingToken: 0, attempt: 0, n: 0 },
      at: this.#parts.clock.now(),
      event,
    })
  }

  /**
   * Nothing could be looked up. Its place stays what it was: what it heard beyond the journal has
   * to be taken back when it comes again.
   */
  #fail({ code, message }: Failure): void {
    this.#queue.push({
      id: this.#wanted.from,
      at: this.#parts.clock.now(),
      event: { type: 'error', code, message },
    })
    this.#queue.end()
  }

  #reset(): void {
    this.#push({ type: 'reset', after_seq: this.#seq })
  }

  async #session(): Promise<LeaseRow | undefined> {
    const lease = await this.#ask((signal) => this.#parts.store().lease(this.#wanted.ref, signal))
    return lease.ok ? lease.value : undefined
  }

  #ask<T>(ask: Parameters<typeof askStore<T>>[1]): ReturnType<typeof askStore<T>> {
    return askStore(this.#parts.settings.storeMs, ask, this.#stop.signal)
  }
}

/** Wakes readers of a session; one per process. */
export class News {
  readonly #waiting = new Map<string, Set<() => void>>()

  wake(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake()
  }

  wakeAll(): void {
    for (const key of this.#waiting.keys()) this.wake(key)
  }

  async wait(key: string, ms: number, signal: AbortSignal): Promise<void> {
    const stop = new AbortController()
    const wake = (): void => stop.abort()
    const set = this.#waiting.get(key) ?? new Set()
    this.#waiting.set(key, set.add(wake))
    await sleep(ms, AbortSignal.any([stop.signal, signal]))
    set.delete(wake)
    if (set.size === 0) this.#waiting.delete(key)
  }
}
