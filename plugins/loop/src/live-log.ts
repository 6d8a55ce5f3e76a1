import type { AgentEvent, Frame, FrameId } from '@amodal/sdk'
import type { FrameQueue } from './frame-queue.ts'

/** Frames kept for readers that come back while the turn runs. */
const MAX_FRAMES = 10_000

/**
 * How a live log ends: the turn is over, it waits for a person, somebody else goes on with it, or
 * nobody knows.
 */
export type LiveEnd = 'done' | 'parked' | 'left' | 'doubt'

/**
 * What one turn tells, as it happens. The driver writes; readers are cursors, and none of them
 * slows it. A fact carries the seq of the entry it comes from once all events of that entry are
 * out, so that a reader's last id says exactly what it has.
 */
export class LiveLog {
  readonly key: string
  /** The run that writes it, once there is one. */
  run: string | undefined
  /** Committed entries that these frames stand on. */
  head: number
  readonly #fencingToken: number
  readonly #readers = new Set<FrameQueue>()
  readonly #ends: ((end: LiveEnd) => void)[] = []
  #frames: Frame[] = []
  #dropped = 0
  #mark = 0
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
  /** Position behind the last commit: a reader that knows the journal joins here. */
  get mark(): number {
    return this.#mark
  }
  get id(): FrameId {
    return { seq: this.#seq, fencingToken: this.#fencingToken, attempt: this.#attempt, n: this.#n }
  }
  /** Something was sent that no commit stands behind. */
  get ahead(): boolean {
    return this.#n > 0
  }

  /** Some reader asked for events that others are not sent: nobody makes them otherwise. */
  get wantsAll(): boolean {
    return [...this.#readers].some(({ wantsAll }) => wantsAll)
  }

  push(event: AgentEvent, at: number): void {
    this.#n++
    this.#send({ id: this.id, at, event })
  }

  /**
   * Events of a committed entry: the last one carries its seq, where whoever has it has nothing
   * that the journal tells behind it.
   */
  emit(seq: number, events: readonly AgentEvent[], at: number, nothingAhead: boolean): void {
    for (const [index, event] of events.entries()) {
      if (index === events.length - 1 && (nothingAhead || !this.ahead)) this.#move(seq)
      else this.#n++
      this.#send({ id: this.id, at, event })
    }
  }

  /** All entries up to here are committed and told. */
  advance(head: number): void {
    if (this.#seq < head) this.#move(head)
    this.head = head
    if (!this.ahead) this.#mark = this.#dropped + this.#frames.length
  }

  /** What was sent since the last commit is void: it is made again. */
  reset(at: number): void {
    if (this.#n === 0) return
    this.#attempt++
    this.#n = 0
    this.push({ type: 'reset', after_seq: this.head }, at)
  }

  /**
   * Gives all frames from a position on, then those to come. `false`: they are not kept any more.
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

  /** Position behind the frame a reader saw last. */
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
