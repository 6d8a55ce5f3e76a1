import MiniSearch from 'minisearch'
import { setImmediate } from 'node:timers/promises'
import type { Passage } from './passages.ts'
import type { VectorIndex } from './vector-index.ts'
import { wordsOf } from './words.ts'

/** A document as it is indexed. */
export interface SearchableDocument {
  /** Unique in its corpus. */
  readonly key: string
  /** Its name, title and topics: words in it weigh more than those of the text. */
  readonly title: string
  readonly passages: readonly Passage[]
}

/** A passage that has words of the query. */
export interface Hit {
  readonly key: string
  /** Which passage of the document, from 0. */
  readonly part: number
  readonly score: number
}

/** What is searched for, by words as `wordsOf` returns them. */
export interface CorpusQuery {
  readonly words: readonly string[]
  /** Multiplies what a word adds to a score. */
  readonly weightOf: (word: string) => number
  /** Whether a word also finds those that begin with it. */
  readonly isPrefix: (word: string) => boolean
  /** Whether a word also finds those that differ in one letter. */
  readonly isFuzzy: (word: string) => boolean
}

interface Entry extends Passage {
  readonly id: number
  readonly title: string
}

/** Documents that are indexed before others have their turn: a few ms of work. */
const AT_ONCE = 50
const BOOST = { title: 2, heading: 1.5, text: 1 }

/**
 * The full-text index of some documents: BM25 over their passages, with prefixes and misspelled
 * words.
 */
export class Corpus {
  readonly #index = new MiniSearch<Entry>({
    fields: Object.keys(BOOST),
    tokenize: (text) => {
      const words = wordsOf(text)
      for (const word of words) this.#words.add(word)
      return words
    },
    processTerm: (word) => word,
    // It runs by timers, which would outlive the plugin; a corpus with many removals is rebuilt.
    autoVacuum: false,
    logger: () => undefined,
  })
  /** Words of the passage that is being added. */
  readonly #words = new Set<string>()
  /** How many passages have a word; removed passages still count. */
  readonly #frequencies = new Map<string, number>()
  readonly #places = new Map<number, { readonly key: string; readonly part: number }>()
  readonly #ids = new Map<string, readonly number[]>()
  /** Vectors of the passages, where a model for them is configured. */
  readonly vectors: VectorIndex | undefined
  #next = 0

  constructor(vectors?: VectorIndex) {
    this.vectors = vectors
  }

  /** How many passages there are. */
  get size(): number {
    return this.#places.size
  }

  /** How many passages were removed since it was created; they take memory all the same. */
  get removed(): number {
    return this.#next - this.#places.size
  }

  /** How many passages have a word. */
  frequencyOf(word: string): number {
    return this.#frequencies.get(word) ?? 0
  }

  keys(): Iterable<string> {
    return this.#ids.keys()
  }

  has(key: string): boolean {
    return this.#ids.has(key)
  }

  /** Adds documents in steps, so that others have their turn; those with the same key go. */
  async addAll(documents: readonly SearchableDocument[], signal?: AbortSignal): Promise<void> {
    for (const [at, document] of documents.entries()) {
      this.#add(document)
      if (at % AT_ONCE === AT_ONCE - 1) {
        await setImmediate()
        signal?.throwIfAborted()
      }
    }
  }

  #add({ key, title, passages }: SearchableDocument): void {
    this.remove(key)
    const ids = passages.map((passage, part) => {
      const id = (this.#next += 1)
      this.#index.add({ id, title, ...passage })
      for (const word of this.#words)
        this.#frequencies.set(word, (this.#frequencies.get(word) ?? 0) + 1)
      this.#words.clear()
      this.#places.set(id, { key, part })
      this.vectors?.add(id, [title, passage.heading, passage.text].join('\n'))
      return id
    })
    this.#ids.set(key, ids)
  }

  remove(key: string): void {
    for (const id of this.#ids.get(key) ?? []) {
      this.#index.discard(id)
      this.#places.delete(id)
      this.vectors?.remove(id)
    }
    this.#ids.delete(key)
  }

  /**
   * Passages that have one of the words, the best first.
   *
   * @param most how many passages
   */
  search({ words, weightOf, isPrefix, isFuzzy }: CorpusQuery, most: number): readonly Hit[] {
    const found = this.#index.search(words.join(' '), {
      tokenize: (text) => text.split(' '),
      boost: BOOST,
      boostTerm: weightOf,
      prefix: isPrefix,
      fuzzy: (word) => (isFuzzy(word) ? 1 : false),
    })
    return this.#hits(found.slice(0, most).map(({ id, score }) => ({ id: Number(id), score })))
  }

  /** Passages whose vectors are nearest to one, the nearest first; none without vectors. */
  nearest(query: Float32Array, most: number): readonly Hit[] {
    return this.#hits(this.vectors?.nearest(query, most) ?? [])
  }

  #hits(found: readonly { readonly id: number; readonly score: number }[]): readonly Hit[] {
    return found.flatMap(({ id, score }) => {
      const place = this.#places.get(id)
      return place ? [{ ...place, score }] : []
    })
  }
}
