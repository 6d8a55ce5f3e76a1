import type { AgentEvent, Frame, FrameId } from '@amodal/sdk'
import type { FrameQueue } from './frame-queue.ts'

/** The most frames to keep for readers that reconnect during the run. */
const MAX_FRAMES = 10_000

/**
 * How a live log ends: the run is over, it waits for a person, another owner continues it, or an
 * error has been emitted after which nothing can be read for now (a commit of unknown outcome, a
 * session that cannot be read).
 */
export type LiveEnd = 'done' | 'parked' | 'abandoned' | 'failed'

/**
 * The frames of one run while it is driven. The driver writes; each reader has a queue of its own,
 * so that none slows it down. The last event of an entry carries the seq of the entry, so the id of
 * a reader's last frame says exactly which entries it has.
 */
export class LiveLog {
  /** The key of the inbox item that began the run; the id of a resumed run without a message. */
  readonly key: string
  /** The run that writes it, once it has begun. */
  run: string | undefined
  /** The last committed entry. */
  head: number
  readonly #fencingToken: number
  readonly #readers = new Set<FrameQueue>()
  readonly #ends: ((end: LiveEnd) => void)[] = []
  #frames: Frame[] = []
  #dropped = 0
  #committedPosition = 0
  #seq: number
  #n = 0
  #attempt = 0
  #ended: LiveEnd | undefined

  constructor(key: string, head: number, fencingToken: number) {
    this.key = key
    this.head = head
    this.#seq = head
    this.#fencingToken = fencingToken
  }

  get ended(): LiveEnd | undefined {
    return this.#ended
  }
  get readers(): number {
    return this.#readers.size
  }
  /** The position after the last commit, where a reader that has the journal joins. */
  get committedPosition(): number {
    return this.#committedPosition
  }
  get id(): FrameId {
    return { seq: this.#seq, fencingToken: this.#fencingToken, attempt: this.#attempt, n: this.#n }
  }
  /** Whether frames were sent since the last commit. */
  get hasUncommitted(): boolean {
    return this.#n > 0
  }

  /** Whether a reader requested detail events; without one they are not created. */
  get wantsAll(): boolean {
    return [...this.#readers].some(({ wantsAll }) => wantsAll)
  }

  push(event: AgentEvent, at: number): void {
    this.#n++
    this.#send({ id: this.id, at, event })
  }

  /**
   * Emits the events of a committed entry. The last one moves the position to the entry.
   *
   * @param mayMovePosition `false`: frames of a later entry are out, such as the text of a reply
   *   that was sent before its commit. The position stays before that entry; a reader that resumes
   *   would get its frames twice otherwise
   */
  emit(seq: number, events: readonly AgentEvent[], at: number, mayMovePosition: boolean): void {
    for (const [index, event] of events.entries()) {
      if (index === events.length - 1 && (mayMovePosition || !this.hasUncommitted)) this.#move(seq)
      else this.#n++
      this.#send({ id: this.id, at, event })
    }
  }

  /** Records that all entries up to `head` are committed and emitted. */
  advance(head: number): void {
    if (this.#seq < head) this.#move(head)
    this.head = head
    if (!this.hasUncommitted) this.#committedPosition = this.#dropped + this.#frames.length
  }

  /** Invalidates the frames since the last commit, because the attempt is repeated. */
  reset(at: number): void {
    if (this.#n === 0) return
    this.#attempt++
    this.#n = 0
    this.push({ type: 'reset', after_seq: this.head }, at)
  }

  /**
   * Sends all frames from a position on, then those to come. `false`: the position is no longer
   * kept.
   */
  join(queue: FrameQueue, position: number): boolean {
    if (position < this.#dropped) return false
    for (let index = position - this.#dropped; index < this.#frames.length; index++) {
      const frame = this.#frames[index]
      if (frame) queue.push(frame)
    }
    if (this.#ended !== undefined) return true
    this.#readers.add(queue)
    queue.onClose(() => this.#readers.delete(queue))
    return true
  }

  /** The position after the last frame of a reader. */
  after(id: FrameId): number | undefined {
    const index = this.#frames.findLastIndex(
      ({ id: { seq, fencingToken, attempt, n } }) =>
        seq === id.seq && fencingToken === id.fencingToken && attempt === id.attempt && n === id.n,
    )
    return index === -1 ? undefined : this.#dropped + index + 1
  }

  onEnd(listener: (end: LiveEnd) => void): void {
    if (this.#ended !== undefined) listener(this.#ended)
    else this.#ends.push(listener)
  }

  end(end: LiveEnd): void {
    if (this.#ended !== undefined) return
    this.#ended = end
    this.#readers.clear()
    for (const listener of this.#ends.splice(0)) listener(end)
  }

  #move(seq: number): void {
    this.#seq = seq
    this.#n = 0
  }

  #send(frame: Frame): void {
    this.#frames.push(frame)
    if (this.#frames.length > MAX_FRAMES) {
      this.#frames = this.#frames.slice(MAX_FRAMES / 2)
      this.#dropped += MAX_FRAMES / 2
    }
    for (const reader of this.#readers) reader.push(frame)
  }
}
