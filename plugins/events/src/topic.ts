import type { PrincipalId } from '@amodal/sdk'
import type { PublicEvent } from './event.ts'
import type { View } from './view.ts'

/** An event with its place, serialised once for all subscribers. */
interface BufferedEvent {
  readonly seq: number
  readonly type: string
  readonly principal: PrincipalId | undefined
  readonly data: string
}

/** Text for all subscribers at one place with the same view. */
export interface Chunk {
  readonly text: string
  /** The place after it. */ readonly upto: number
}

/**
 * Events per chunk: the most that a client which does not read may cost beyond its buffer.
 */
const EVENTS_PER_CHUNK = 100
/** Chunks that are cached. */
const CHUNKS = 100

/**
 * The newest events of one tenant. Places count up from the time of creation (in ms, times 1,000),
 * so that a place of an earlier server or of another instance is not mistaken for one of these.
 */
export class Topic {
  readonly #size: number
  #events: BufferedEvent[] = []
  #head: number
  /** Chunks of the newest places: most subscribers are at the same one. */
  readonly #chunks = new Map<string, Chunk>()

  constructor(size: number, now: number) {
    this.#size = size
    this.#head = now * 1_000
  }

  /** The place after the newest event. */
  get head(): number {
    return this.#head
  }

  add(
    { type, seq: _seq, timestamp: _timestamp, ...rest }: PublicEvent,
    principal: PrincipalId | undefined,
    at: number,
  ): void {
    this.#head++
    this.#events.push({
      seq: this.#head,
      type,
      principal,
      data: JSON.stringify({
        seq: this.#head,
        timestamp: new Date(at).toISOString(),
        type,
        ...rest,
      }),
    })
    // Trimmed at twice the size: a copy for each event would cost more than the event.
    if (this.#events.length > 2 * this.#size) this.#events = this.#events.slice(-this.#size)
    this.#chunks.clear()
  }

  /** Whether all events after a place are buffered. */
  has(place: number): boolean {
    return place >= this.#oldest && place <= this.#head
  }

  /** The place before the newest `count` events, or before the oldest one that is buffered. */
  before(count: number): number {
    return this.#head - Math.min(count, this.#events.length)
  }

  /** The events after a place, one chunk at most. */
  after(place: number, view: View): Chunk {
    const key = `${place}${view.key}`
    const known = this.#chunks.get(key)
    if (known) return known
    const from = this.#events.length - (this.#head - place)
    const piece = this.#events.slice(from, from + EVENTS_PER_CHUNK)
    const text = piece
      .map(({ seq, type, principal, data }) =>
        view.sees(type, principal)
          ? `id: ${seq}\n${view.named ? `event: ${type}\n` : ''}data: ${data}\n\n`
          : '',
      )
      .join('')
    const chunk = { text, upto: piece.at(-1)?.seq ?? place }
    if (this.#chunks.size >= CHUNKS) this.#chunks.clear() // clients may name any place
    this.#chunks.set(key, chunk)
    return chunk
  }

  get #oldest(): number {
    return this.#head - this.#events.length
  }
}
