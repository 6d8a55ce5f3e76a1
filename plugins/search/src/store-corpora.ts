import {
  err,
  failure,
  hashOf,
  messageOf,
  ok,
  SHARED_TENANT,
  timeLimit,
  tryAsync,
  type Failure,
  type Result,
  type StoreDefinition,
  type TenantId,
} from '@amodal/sdk'
import type { StoreAccess } from '@amodal/plugin-stores/tokens'
import type { Corpus } from './corpus.ts'
import { StoreCorpus } from './store-corpus.ts'

/** ms for the index of one store. */
const REFRESH_MS = 50_000
/** ms after which a store is read anew, since other instances write to it, too. */
const FRESH_MS = 5_000

interface Entry {
  /** Hash of the schema that the index was built with. */
  readonly schema: string
  readonly corpus: StoreCorpus
  /** How often this instance has written to the store. */
  writes: number
  /** How many of these writes the index has; -1: it was never read. */
  indexedWrites: number
  /** When it was read, by the monotonic clock. */
  readAt: number
  reading: Promise<Result<void, Failure>> | undefined
}

/**
 * The indexes of stores, one for each store and tenant. The database has the documents, and an
 * index only says which of them to look at: what it finds is read there before it is shown.
 */
export class StoreCorpora {
  readonly #entries = new Map<string, Entry>()
  readonly #access: Pick<StoreAccess, 'open'>
  readonly #newCorpus: () => Corpus
  readonly #maxDocuments: number

  /** @param maxDocuments of all indexes together; beyond, the least recently used ones go */
  constructor(access: Pick<StoreAccess, 'open'>, newCorpus: () => Corpus, maxDocuments: number) {
    this.#access = access
    this.#newCorpus = newCorpus
    this.#maxDocuments = maxDocuments
  }

  /** The index of a store, with all that this instance has written before the call. */
  async of(store: StoreDefinition, caller: TenantId): Promise<Result<StoreCorpus, Failure>> {
    const tenant = ownerOf(store, caller)
    const entry = this.#entryOf(store, tenant)
    if (entry.indexedWrites === entry.writes) {
      // What other instances have written is read behind the search, which need not wait for it.
      if (performance.now() - entry.readAt > FRESH_MS) void this.#read(entry, store, tenant)
      return ok(entry.corpus)
    }
    // A read that began before this call may lack what was written in between.
    if (entry.reading) await entry.reading
    const read =
      entry.indexedWrites === entry.writes ? ok(undefined) : await this.#read(entry, store, tenant)
    return read.ok ? ok(entry.corpus) : read
  }

  /** Has a store read anew by the next search. */
  changed(store: Pick<StoreDefinition, 'name' | 'shared'>, caller: TenantId): void {
    const entry = this.#entries.get(keyOf(ownerOf(store, caller), store.name))
    if (entry) entry.writes += 1
  }

  clear(): void {
    this.#entries.clear()
  }

  /** The last one in the map is the one that was used last. */
  #entryOf(store: StoreDefinition, tenant: TenantId): Entry {
    const key = keyOf(tenant, store.name)
    const schema = hashOf(store.raw)
    const known = this.#entries.get(key)
    const entry =
      known?.schema === schema
        ? known
        : {
            schema,
            corpus: new StoreCorpus(this.#newCorpus),
            writes: 0,
            indexedWrites: -1,
            readAt: 0,
            reading: undefined,
          }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry
  }

  /** Reads a store; several callers share one read. */
  #read(entry: Entry, store: StoreDefinition, tenant: TenantId): Promise<Result<void, Failure>> {
    entry.reading ??= this.#refresh(entry, store, tenant).finally(() => {
      entry.reading = undefined
      this.#evict(entry)
    })
    return entry.reading
  }

  async #refresh(
    entry: Entry,
    store: StoreDefinition,
    tenant: TenantId,
  ): Promise<Result<void, Failure>> {
    const { writes } = entry
    const read = await tryAsync(
      () =>
        this.#access.open(store, tenant, (backend) =>
          entry.corpus.refresh({
            store,
            backend,
            most: this.#maxDocuments,
            signal: timeLimit(REFRESH_MS, `indexing the store ${store.name}`),
          }),
        ),
      (cause) => failure('TIMEOUT', `the store ${store.name} is not indexed: ${messageOf(cause)}`),
    )
    const opened = read.ok ? read.value : err(read.error)
    const done = opened.ok ? opened.value : opened
    if (done.ok) entry.indexedWrites = writes
    entry.readAt = performance.now()
    return done
  }

  #evict(current: Entry): void {
    let documents = 0
    for (const { corpus } of this.#entries.values()) documents += corpus.documents
    for (const [key, entry] of this.#entries) {
      if (documents <= this.#maxDocuments) return
      if (entry === current || entry.reading) continue
      documents -= entry.corpus.documents
      this.#entries.delete(key)
    }
  }
}

/** Whose documents a store has for a tenant. */
const ownerOf = ({ shared }: Pick<StoreDefinition, 'shared'>, tenant: TenantId): TenantId =>
  shared === true ? SHARED_TENANT : tenant
const keyOf = (tenant: TenantId, name: string): string => JSON.stringify([tenant, name])
