import type { Placed } from '../journal/entry.ts'
import { project } from '../journal/project.ts'
import { readEntries } from '../journal/upcast.ts'
import type { AgentEvent, FrameId } from '../events.ts'
import type { LaneRef, SessionStore } from '../ports/session-store.ts'
import { deadline, sleep, type Clock } from '../time.ts'
import { FrameQueue } from './frame-queue.ts'
import type { LiveLog } from './live-log.ts'
import type { LaneState } from './state.ts'

/** What a reader follows: one message's turn, or the session from a place on. */
export interface Wanted { readonly ref: LaneRef; readonly key?: string; readonly from: FrameId | undefined }

export interface ReaderParts {
  readonly clock: Clock
  readonly pollMs: number
  readonly storeMs: number
  store(): SessionStore
  live(ref: LaneRef): LiveLog | undefined
  /** Resolves when the session has something new, or after `ms`. */
  news(ref: LaneRef, ms: number, signal: AbortSignal): Promise<void>
  /** The last rewrite before the wire; it runs again on a replay. */
  shown(event: AgentEvent): AgentEvent | undefined
}

/** Attaches a queue to a live log; when that ends without `done`, the reader goes on from the journal. */
export function attach(queue: FrameQueue, live: LiveLog, position: number, onLeft: (seq: number) => void): boolean {
  if (!live.join(queue, position)) return false
  live.onEnd((end) => {
    if (queue.ended) return
    if (end === 'done' || end === 'doubt') queue.end()
    else onLeft(live.head)
  })
  return true
}

/**
 * Feeds a queue from wherever the run is: the live log here, or the committed entries that another
 * instance writes. Gapless, or after a `reset`. Ends with the turn it follows.
 */
export class Reader {
  readonly #parts: ReaderParts
  readonly #wanted: Wanted
  readonly #queue: FrameQueue
  readonly #stop = new AbortController()
  #seq: number
  /** The run whose entries are wanted; unknown until its message is found. */
  #run: string | undefined
  #fence = 0

  constructor(parts: ReaderParts, wanted: Wanted, queue: FrameQueue) {
    this.#parts = parts
    this.#wanted = wanted
    this.#queue = queue
    this.#seq = wanted.from?.seq ?? 0
    queue.onClose(() => this.#stop.abort())
  }

  /** Never rejects: a store that fails ends the stream, and the client resumes. */
  async read(): Promise<void> {
    const { key, from, ref } = this.#wanted
    const live = this.#parts.live(ref)
    // The very place is still in memory: go on without a seam.
    if (live && from) {
      const position = live.after(from) ?? (from.n === 0 && from.seq === live.head && (key === undefined || live.key === key) ? live.mark : undefined)
      if (position !== undefined && this.#join(live, position)) return
    }
    if (from && from.n > 0) this.#push({ type: 'reset', after_seq: from.seq }, from.seq)
    await this.#follow()
  }

  async #follow(): Promise<void> {
    const { ref, key } = this.#wanted
    let asked = false
    while (!this.#queue.ended) {
      const live = this.#parts.live(ref)
      const wanted = live !== undefined && live.ended === undefined && (key === undefined || live.key === key)
      const mark = live?.mark ?? 0
      const over = await this.#replay(wanted ? live.head : undefined)
      if (over || this.#queue.ended) return this.#queue.end()
      if (wanted && this.#seq >= live.head && this.#join(live, Math.max(mark, 0))) return
      if (wanted) continue
      if (key === undefined) {
        // Without a turn of its own the reader leaves when nothing runs. Asked twice: a run may just have begun.
        if (asked && await this.#idle()) return this.#queue.end()
        asked = true
        if (await this.#idle()) continue
      }
      await this.#parts.news(ref, this.#parts.pollMs, this.#stop.signal)
    }
  }

  /** Sends committed entries up to `upto`. `true`: the turn has ended. */
  async #replay(upto: number | undefined): Promise<boolean> {
    const { ref, key } = this.#wanted
    if (upto !== undefined && upto <= this.#seq) return false
    const stored = await this.#within((signal) => this.#parts.store().entries(ref, { after: this.#seq, ...(upto === undefined ? {} : { upto }) }, signal))
    const entries = stored.ok ? readEntries(stored.value) : stored
    if (!entries.ok) {
      this.#push({ type: 'error', code: entries.error.code, message: entries.error.message }, this.#seq)
      return true
    }
    for (const entry of entries.value) {
      if (key !== undefined && entry.kind === 'user_message' && entry.key === key) this.#run = entry.run
      if (key === undefined || entry.run === this.#run) this.#send(entry)
      this.#seq = entry.seq
      if (key !== undefined && entry.kind === 'run_ended' && entry.run === this.#run) return true
    }
    return false
  }

  #send(entry: Placed): void {
    const events = project(entry, false).flatMap((event) => this.#parts.shown(event) ?? [])
    events.forEach((event, index) => {
      const last = index === events.length - 1
      this.#queue.push({ id: { seq: last ? entry.seq : entry.seq - 1, fence: this.#fence, attempt: 0, n: last ? 0 : index + 1 }, at: entry.at, event })
    })
  }

  #push(event: AgentEvent, seq: number): void {
    this.#queue.push({ id: { seq, fence: this.#fence, attempt: 0, n: 0 }, at: this.#parts.clock.now(), event })
  }

  #join(live: LiveLog, position: number): boolean {
    return attach(this.#queue, live, position, (seq) => {
      this.#seq = Math.max(this.#seq, seq)
      this.#run ??= this.#wanted.key === undefined ? undefined : live.run
      void this.#follow()
    })
  }

  async #idle(): Promise<boolean> {
    const lane = await this.#within((signal) => this.#parts.store().lane(this.#wanted.ref, signal))
    if (!lane.ok || !lane.value) return true
    this.#fence = lane.value.fence
    const state = JSON.parse(lane.value.state) as LaneState // written by us
    return state.kind === 'idle' && lane.value.owner === undefined && lane.value.messages === 0
  }

  async #within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = deadline(this.#stop.signal, this.#parts.storeMs)
    try {
      return await work(limit.signal)
    } finally {
      limit.clear()
    }
  }
}

/** Wakes readers of a session; one per process. */
export class News {
  readonly #waiting = new Map<string, Set<() => void>>()

  tell(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake()
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

