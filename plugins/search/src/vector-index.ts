import { dot, type Embedder } from './embedder.ts'

/** A passage by its id in the corpus, and how near it is to a query: from -1 to 1. */
export interface Neighbour {
  readonly id: number
  readonly score: number
}

/** The vectors of the passages of one corpus; they are computed after the passages were added. */
export class VectorIndex {
  readonly #embedder: Embedder
  readonly #most: number
  readonly #vectors = new Map<number, Float32Array>()
  /** Texts without a vector yet. */
  readonly #pending = new Map<number, string>()
  #filling: Promise<void> | undefined

  /** @param most passages that get a vector; those beyond are found by their words alone */
  constructor(embedder: Embedder, most: number) {
    this.#embedder = embedder
    this.#most = most
  }

  add(id: number, text: string): void {
    if (text.trim() !== '' && this.#vectors.size + this.#pending.size < this.#most)
      this.#pending.set(id, text)
  }

  remove(id: number): void {
    this.#vectors.delete(id)
    this.#pending.delete(id)
  }

  /** Computes missing vectors, one batch after the other, until the model fails. */
  fill(signal: AbortSignal): Promise<void> {
    if (this.#pending.size === 0) return Promise.resolve()
    this.#filling ??= this.#fill(signal).finally(() => {
      this.#filling = undefined
    })
    return this.#filling
  }

  async #fill(signal: AbortSignal): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = [...this.#pending].slice(0, this.#embedder.batch)
      const vectors = await this.#embedder.vectorsOf(
        batch.map(([, text]) => text),
        signal,
      )
      if (!vectors) return
      for (const [at, [id, text]] of batch.entries()) {
        const vector = vectors[at]
        // A passage may have been removed while its vector was computed.
        if (!vector || this.#pending.get(id) !== text) continue
        this.#pending.delete(id)
        this.#vectors.set(id, vector)
      }
    }
  }

  /** The passages nearest to a query, the nearest first. */
  nearest(query: Float32Array, most: number): readonly Neighbour[] {
    return [...this.#vectors]
      .map(([id, vector]) => ({ id, score: dot(query, vector) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, most)
  }
}
