import {
  ok,
  type Failure,
  type Result,
  type StoreBackend,
  type StoreDefinition,
  type StoreDocument,
} from '@amodal/sdk'
import type { Corpus } from './corpus.ts'
import { searchableOf } from './store-document.ts'

/** Documents that are read at once. */
const PAGE = 1_000
/** ms that a write may take to be committed after the time that it is stored with. */
const COMMIT_MS = 60_000
/** Passages of removed documents that are not worth a new index. */
const FEW_REMOVED = 1_000

/** From where a store is read, and how much of it. */
export interface StoreReading {
  readonly store: StoreDefinition
  readonly backend: StoreBackend
  /** How many documents are indexed at most. */
  readonly most: number
  readonly signal: AbortSignal
}

/** Of a document: another one after each write. */
export const stampOf = ({ version, computedAt }: StoreDocument): string =>
  `${version} ${computedAt}`

/** The index of one store as one tenant sees it. */
export class StoreCorpus {
  readonly #newCorpus: () => Corpus
  #corpus: Corpus
  /** Stamps of the indexed documents by their keys. */
  readonly #stamps = new Map<string, string>()
  #unindexed = 0
  /** The latest write that is indexed: ms since 1970, by the clock of the database. */
  #latest: number | undefined

  constructor(newCorpus: () => Corpus) {
    this.#newCorpus = newCorpus
    this.#corpus = newCorpus()
  }

  get corpus(): Corpus {
    return this.#corpus
  }

  get documents(): number {
    return this.#stamps.size
  }

  /** Documents beyond the bound, which are not indexed. */
  get unindexed(): number {
    return this.#unindexed
  }

  /** Whether a document is indexed as it is in the store. */
  isCurrent(document: StoreDocument): boolean {
    return this.#stamps.get(document.key) === stampOf(document)
  }

  /**
   * Indexes what has changed: the latest writes, and all documents where their number says that
   * some were removed.
   */
  async refresh(reading: StoreReading): Promise<Result<void, Failure>> {
    if (this.#corpus.removed > this.#corpus.size + FEW_REMOVED) this.#clear()
    const since = this.#latest
    if (since !== undefined) {
      const read = await this.#read(reading, new Date(since - COMMIT_MS).toISOString())
      if (!read.ok) return read
      const count = await reading.backend.count(reading.store, reading.signal)
      if (!count.ok) return count
      if (count.value === this.#stamps.size + this.#unindexed) return ok(undefined)
    }
    const read = await this.#read(reading)
    if (!read.ok) return read
    for (const key of this.#stamps.keys()) if (!read.value.keys.has(key)) this.#remove(key)
    this.#unindexed = Math.max(0, read.value.total - this.#stamps.size)
    return ok(undefined)
  }

  /** Reads documents by page and indexes those that have changed. */
  async #read(
    { store, backend, most, signal }: StoreReading,
    changedSince?: string,
  ): Promise<Result<{ readonly keys: ReadonlySet<string>; readonly total: number }, Failure>> {
    const keys = new Set<string>()
    for (let offset = 0; ; offset += PAGE) {
      const page = await backend.query(
        store,
        { filters: [], limit: PAGE, offset, ...(changedSince !== undefined && { changedSince }) },
        signal,
      )
      if (!page.ok) return page
      const { documents, total } = page.value
      let room = most - this.#stamps.size
      const fitting = documents.filter(({ key }) => {
        if (!this.#stamps.has(key) && room <= 0) return false
        if (!this.#stamps.has(key)) room -= 1
        keys.add(key)
        return true
      })
      await this.#index(store, fitting, signal)
      if (documents.length < PAGE || keys.size >= most) return ok({ keys, total })
    }
  }

  async #index(
    store: StoreDefinition,
    documents: readonly StoreDocument[],
    signal: AbortSignal,
  ): Promise<void> {
    const changed = documents.filter((document) => !this.isCurrent(document))
    await this.#corpus.addAll(
      changed.map((document) => searchableOf(store, document)),
      signal,
    )
    for (const document of changed) {
      this.#stamps.set(document.key, stampOf(document))
      this.#latest = Math.max(this.#latest ?? 0, Date.parse(document.computedAt))
    }
  }

  #remove(key: string): void {
    this.#corpus.remove(key)
    this.#stamps.delete(key)
  }

  #clear(): void {
    this.#corpus = this.#newCorpus()
    this.#stamps.clear()
    this.#latest = undefined
    this.#unindexed = 0
  }
}
