import { sha256, type Logger } from '@amodal/sdk'
import type { Embeddings } from './tokens.ts'

/** ms for which a model that failed is not called. */
const PAUSE_MS = 10_000

/**
 * Vectors of texts by their content, so that a text is computed once. A failure of the model is
 * logged once, until it works again; searches go on without vectors.
 */
export class Embedder {
  readonly #embeddings: Embeddings
  readonly #most: number
  readonly #log: Logger
  readonly #cache = new Map<string, Float32Array>()
  #pausedUntil = 0
  #isFailing = false

  /** @param most vectors that are cached; beyond, the oldest go */
  constructor(embeddings: Embeddings, most: number, log: Logger) {
    this.#embeddings = embeddings
    this.#most = most
    this.#log = log
  }

  /** Texts of one request at most. */
  get batch(): number {
    return this.#embeddings.batch
  }

  /**
   * One vector of length 1 for each text; `undefined` where the model failed.
   *
   * @param texts at most `batch`
   */
  async vectorsOf(
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Float32Array[] | undefined> {
    const keys = texts.map((text) => sha256(text))
    const missing = new Map(
      keys.flatMap((key, at) => (this.#cache.has(key) ? [] : [[key, texts[at] ?? '']])),
    )
    const computed = new Map<string, Float32Array>()
    if (missing.size > 0) {
      const vectors = await this.#compute([...missing.values()], signal)
      if (!vectors) return undefined
      for (const [at, key] of [...missing.keys()].entries()) {
        const vector = vectors[at]
        if (vector) computed.set(key, vector)
      }
    }
    const all = keys.flatMap((key) => computed.get(key) ?? this.#cache.get(key) ?? [])
    for (const [key, vector] of computed) this.#remember(key, vector)
    return all.length === texts.length ? all : undefined
  }

  async #compute(
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Float32Array[] | undefined> {
    if (performance.now() < this.#pausedUntil || signal.aborted) return undefined
    const computed = await this.#embeddings.embed(texts, signal)
    if (computed.ok) {
      this.#isFailing = false
      return computed.value.map(normalized)
    }
    if (signal.aborted) return undefined
    this.#pausedUntil = performance.now() + PAUSE_MS
    if (!this.#isFailing)
      this.#log.warn('search.without_vectors', {
        code: computed.error.code,
        message: computed.error.message,
      })
    this.#isFailing = true
    return undefined
  }

  #remember(key: string, vector: Float32Array): void {
    this.#cache.set(key, vector)
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= this.#most) return
      this.#cache.delete(oldest)
    }
  }
}

/** Of length 1, so that the product of two is the cosine of their angle. */
function normalized(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  return length === 0 ? vector : vector.map((value) => value / length)
}

/** The product of two vectors; 0 where their lengths differ. */
export function dot(one: Float32Array, other: Float32Array): number {
  if (one.length !== other.length) return 0
  let sum = 0
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0)
  return sum
}
