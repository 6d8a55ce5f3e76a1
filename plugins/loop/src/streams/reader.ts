import {
  type AgentEvent,
  type Clock,
  type Failure,
  type FrameId,
  isAtRest,
  type SessionRef,
  type SessionRecord,
  type SequencedEntry,
  readEntries,
  type SessionStore,
  type SetAside,
} from '@amodal/sdk'
import { callStore } from '@amodal/sdk/loop'
import type { FrameQueue } from './frame-queue.ts'
import type { LiveLog } from './live-log.ts'

/** What a reader follows: the run of one message, or the session from a position on. */
export interface ReadTarget {
  readonly ref: SessionRef
  readonly key?: string
  readonly from: FrameId
}

export interface ReaderParts {
  readonly clock: Clock
  readonly settings: { readonly pollMs: number; readonly storeMs: number }
  /** Whether this process has stopped. */
  readonly closed: boolean
  store(): SessionStore
  live(ref: SessionRef): LiveLog | undefined
  /** Resolves when the session has changed, or after `ms`. */
  nextChange(ref: SessionRef, ms: number, signal: AbortSignal): Promise<void>
  /** The events of a committed entry, after the taps of `event.emit`. */
  shown(ref: SessionRef, entry: SequencedEntry): readonly AgentEvent[]
}

/** The id of a place in the journal: after an entry, in no live log. */
export const placeInJournal = (seq: number): FrameId => ({
  seq,
  fencingToken: 0,
  attempt: 0,
  n: 0,
})

/**
 * Shared, because an abort without a reason creates an error with its stack, which takes a
 * twentieth of a millisecond.
 */
const CLOSED = new Error('the stream was closed')

/**
 * Feeds a queue from the live log of this process, or from the committed entries of another
 * instance. The frames are gapless, or follow a `reset`. Ends with the run.
 */
export class Reader {
  readonly #parts: ReaderParts
  readonly #target: ReadTarget
  readonly #queue: FrameQueue
  readonly #stop = new AbortController()
  #seq: number
  /** The run to follow; unknown until its message is found. */
  #run: string | undefined

  constructor(parts: ReaderParts, target: ReadTarget, queue: FrameQueue) {
    this.#parts = parts
    this.#target = target
    this.#queue = queue
    this.#seq = target.from.seq
    queue.onClose(() => this.#stop.abort(CLOSED))
  }

  /**
   * Goes on from the position: in the live log if it is still there, else in the journal. Never
   * rejects: a failure of the store ends the stream, and the client resumes.
   */
  async read(): Promise<void> {
    const { from } = this.#target
    const live = this.#live()
    // The position is still in the live log, so the stream continues without a reset.
    const position =
      live?.after(from) ??
      (from.n === 0 && from.seq === live?.head ? live.committedPosition : undefined)
    if (live && position !== undefined && this.join(live, position)) return
    if (from.n > 0) this.#reset()
    await this.#followJournal()
  }

  /**
   * First finds the run of the message, since the position may lie behind its first entry; then
   * reads as `read` does.
   */
  async resume(): Promise<void> {
    const { key, from, ref } = this.#target
    for (let size = 100; key !== undefined && from.seq > 0; size *= 10) {
      const after = Math.max(0, from.seq - size)
      const stored = await this.#callStore((signal) =>
        this.#parts.store().entries(ref, { after, upto: from.seq }, signal),
      )
      const entries = stored.ok ? readEntries(stored.value) : stored
      // Without its run, its entries would be skipped as those of another run, so the client must
      // resume later.
      if (!entries.ok) return this.#fail(entries.error)
      const opening = entries.value.findLast((entry) => entry.kind === 'user_message')
      if (opening?.kind === 'user_message' && opening.key === key) this.#run = opening.run
      if (opening || after === 0) break
    }
    await this.read()
  }

  /**
   * Follows a live log, and continues from the journal if the log ends without `done`. `false`: the
   * position is no longer kept.
   */
  join(live: LiveLog, position: number): boolean {
    if (!live.join(this.#queue, position)) return false
    live.onEnd((end) => {
      if (this.#queue.ended) return
      if (end === 'done' || end === 'failed') return this.#queue.end()
      this.#seq = Math.max(this.#seq, live.head)
      // The live log names the newest run of this message; earlier ones may have left no entries.
      if (this.#target.key !== undefined) this.#run = live.run ?? this.#run
      // the next owner repeats what was sent since the last commit
      if (live.hasUncommitted) this.#reset()
      void this.#followJournal()
    })
    return true
  }

  async #followJournal(): Promise<void> {
    while (!this.#queue.ended && !this.#parts.closed) {
      const live = this.#running()
      // If this reader has read a commit that the log has not emitted yet (`#seq` is beyond the
      // log's head), it waits until the log has, or it would get those events twice.
      if (live && this.#seq === live.head && this.join(live, live.committedPosition)) return
      const sessionRecord = live ? undefined : await this.#session()
      const head = (live ?? sessionRecord)?.head
      if (head === undefined || (await this.#catchUp(head, sessionRecord))) break
    }
    this.#queue.end()
  }

  /** Sends the new entries of the journal, or waits for some. `true`: the stream is over. */
  async #catchUp(head: number, sessionRecord: SessionRecord | undefined): Promise<boolean> {
    if (head > this.#seq) return this.#replay(head)
    if (sessionRecord && this.#isOver(sessionRecord)) return true
    await this.#parts.nextChange(this.#target.ref, this.#parts.settings.pollMs, this.#stop.signal)
    return false
  }

  /** The live log of the run, unless it has ended. */
  #running(): LiveLog | undefined {
    const found = this.#live()
    return found?.ended === undefined ? found : undefined
  }

  /** Whether the stream is over. A session that is set aside ends it with an error. */
  #isOver(sessionRecord: SessionRecord): boolean {
    if (sessionRecord.setAside === undefined) return isAtRest(sessionRecord)
    const { code, message } = JSON.parse(sessionRecord.setAside) as SetAside // written by the loop
    this.#push({ type: 'error', code, message: `The session is set aside: ${message}.` })
    this.#push({ type: 'done', reason: 'error' })
    return true
  }

  /**
   * Sends committed entries up to `upto`. `true`: the run has ended, or the journal cannot be
   * read.
   */
  async #replay(upto: number): Promise<boolean> {
    const { ref, key } = this.#target
    const stored = await this.#callStore((signal) =>
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
      const isOfTarget = key === undefined || entry.run === this.#run
      if (isOfTarget) this.#send(entry)
      this.#seq = entry.seq
      if (isOfTarget && entry.kind === 'run_ended') return true
    }
    this.#seq = upto // also if the entries have expired
    return false
  }

  /** The live log of the run to follow. */
  #live(): LiveLog | undefined {
    const { ref, key } = this.#target
    const live = this.#parts.live(ref)
    return key === undefined || live?.key === key ? live : undefined
  }

  #send(entry: SequencedEntry): void {
    const events = this.#parts.shown(this.#target.ref, entry)
    events.forEach((event, index) => {
      const last = index === events.length - 1
      this.#queue.push({
        id: last ? placeInJournal(entry.seq) : { ...placeInJournal(entry.seq - 1), n: index + 1 },
        at: entry.at,
        event,
      })
    })
  }

  /** Sends an event that belongs to no entry, after the last entry. */
  #push(event: AgentEvent): void {
    this.#queue.push({
      id: placeInJournal(this.#seq),
      at: this.#parts.clock.now(),
      event,
    })
  }

  /**
   * Ends the stream with an error. The position remains unchanged, so that a resumed stream resets
   * the frames beyond the journal.
   */
  #fail({ code, message }: Failure): void {
    this.#queue.push({
      id: this.#target.from,
      at: this.#parts.clock.now(),
      event: { type: 'error', code, message },
    })
    this.#queue.end()
  }

  #reset(): void {
    this.#push({ type: 'reset', after_seq: this.#seq })
  }

  async #session(): Promise<SessionRecord | undefined> {
    const sessionRecord = await this.#callStore((signal) =>
      this.#parts.store().sessionRecord(this.#target.ref, signal),
    )
    return sessionRecord.ok ? sessionRecord.value : undefined
  }

  #callStore<T>(work: Parameters<typeof callStore<T>>[1]): ReturnType<typeof callStore<T>> {
    return callStore(this.#parts.settings.storeMs, work, this.#stop.signal)
  }
}
