import type { PrincipalId } from '@amodal/sdk'
import type { PublicEvent } from './event.ts'
import type { View } from './view.ts'

/** An event with its place: serialised once, whoever reads it. */
interface Kept {
  readonly seq: number
  readonly type: string
  readonly owner: PrincipalId | undefined
  readonly data: string
}

/** Text for everybody who stands at one place and may know the same. */
export interface Chunk {
  readonly text: string
  /** The place behind it. */ readonly upto: number
}

/**
 * Events that are put together in one piece: what a reader who does not read may cost beyond the
 * room it has.
 */
const PIECE = 100
/** Pieces that are kept. */
const CHUNKS = 100

/**
 * The newest events of one tenant. Places go on from the time it was made (in ms, times 1,000), so
 * that one which was given by a server before this one, or by another one, is not taken for one of
 * these.
 */
export class Topic {
  readonly #size: number
  #kept: Kept[] = []
  #head: number
  /** Of the newest places: most subscribers stand at the same one. */
  readonly #chunks = new Map<string, Chunk>()

  constructor(size: number, now: number) {
    this.#size = size
    this.#head = now * 1_000
  }

  /** The place behind the newest event. */
  get head(): number {
    return this.#head
  }

  add(
    { type, seq: _seq, timestamp: _timestamp, ...rest }: PublicEvent,
    owner: PrincipalId | undefined,
    at: number,
  ): void {
    this.#head++
    this.#kept.push({
      seq: this.#head,
      type,
      owner,
      data: JSON.stringify({
        seq: this.#head,
        timestamp: new Date(at).toISOString(),
        type,
        ...rest,
      }),
    })
    // Twice the size before it is cut: a copy for each event would cost more than the event.
    if (this.#kept.length > 2 * this.#size) this.#kept = this.#kept.slice(-this.#size)
    this.#chunks.clear()
  }

  /** Whether everything behind a place is still here. */
  has(place: number): boolean {
    return place >= this.#oldest && place <= this.#head
  }

  /** The place before the newest `count` events, or before the oldest one that is still here. */
  before(count: number): number {
    return this.#head - Math.min(count, this.#kept.length)
  }

  /** What follows a place, a piece of it at most. */
  after(place: number, view: View): Chunk {
    const key = `${place}${view.key}`
    const known = this.#chunks.get(key)
    if (known) return known
    const from = this.#kept.length - (this.#head - place)
    const piece = this.#kept.slice(from, from + PIECE)
    const text = piece
      .map(({ seq, type, owner, data }) =>
        view.sees(type, owner)
          ? `id: ${seq}\n${view.named ? `event: ${type}\n` : ''}data: ${data}\n\n`
          : '',
      )
      .join('')
    const chunk = { text, upto: piece.at(-1)?.seq ?? place }
    if (this.#chunks.size >= CHUNKS) this.#chunks.clear() // whoever comes back may name any place
    this.#chunks.set(key, chunk)
    return chunk
  }

  get #oldest(): number {
    return this.#head - this.#kept.length
  }
}
