import {
  failure, err, ok, type Failure, type Json, type Result, type StoreBackend, type StoreDefinition, type StoreDocument,
  type StoreFilter, type StoreQuery, type StoreWrite, type StoreWriteOutcome, type TenantId,
} from '@amodal/sdk'

type Versions = readonly StoreDocument[]

/** Documents of all tenants; each sees its own. */
export class MemoryStores {
  readonly #tenants = new Map<TenantId, StoreBackend>()

  of(tenant: TenantId): StoreBackend {
    const known = this.#tenants.get(tenant)
    if (known) return known
    const made = new TenantStores()
    this.#tenants.set(tenant, made)
    return made
  }

  clear(): void { this.#tenants.clear() }
}

class TenantStores implements StoreBackend {
  readonly #stores = new Map<string, Map<string, Versions>>()
  readonly #calls = new Map<string, readonly StoreWriteOutcome[] | boolean>()

  get(store: StoreDefinition, key: string, signal: AbortSignal): Promise<Result<StoreDocument | undefined, Failure>> {
    return this.#now(signal, () => { const found = this.#of(store).get(key)?.[0]; return found && fresh(found) })
  }

  query(store: StoreDefinition, query: StoreQuery, signal: AbortSignal): Promise<Result<{ readonly documents: readonly StoreDocument[]; readonly total: number }, Failure>> {
    return this.#now(signal, () => {
      const all = [...this.#of(store).values()].flatMap(([newest]) => (newest && query.filters.every((filter) => matches(newest, filter)) ? [fresh(newest)] : []))
      const { sort } = query
      const sorted = all.sort((a, b) => (sort ? (sort.descending ? -1 : 1) * compare(a.payload[sort.field] ?? null, b.payload[sort.field] ?? null) : 0) || (a.key < b.key ? -1 : 1))
      return { documents: sorted.slice(query.offset, query.offset + query.limit), total: all.length }
    })
  }

  write(store: StoreDefinition, writes: readonly StoreWrite[], { atomic, callKey }: { readonly atomic: boolean; readonly callKey?: string }, signal: AbortSignal): Promise<Result<readonly StoreWriteOutcome[], Failure>> {
    return this.#now(signal, () => {
      const before = callKey === undefined ? undefined : this.#calls.get(callKey)
      if (Array.isArray(before)) return before
      const documents = this.#of(store)
      const planned = new Map<string, Versions>()
      const outcomes = writes.map((write) => plan(store, write, planned.get(write.key) ?? documents.get(write.key) ?? [], planned))
      const refused = atomic && outcomes.some(({ stored }) => !stored)
      if (!refused) for (const [key, versions] of planned) documents.set(key, versions)
      const told = refused ? outcomes.map((one) => (one.stored ? { key: one.key, stored: false as const, error: 'another document of this batch was refused' } : one)) : outcomes
      if (callKey !== undefined) this.#calls.set(callKey, told)
      return told
    })
  }

  remove(store: StoreDefinition, key: string, { callKey }: { readonly callKey?: string }, signal: AbortSignal): Promise<Result<boolean, Failure>> {
    return this.#now(signal, () => {
      const before = callKey === undefined ? undefined : this.#calls.get(callKey)
      if (typeof before === 'boolean') return before
      const removed = this.#of(store).delete(key)
      if (callKey !== undefined) this.#calls.set(callKey, removed)
      return removed
    })
  }

  history(store: StoreDefinition, key: string, signal: AbortSignal): Promise<Result<readonly StoreDocument[], Failure>> {
    return this.#now(signal, () => (this.#of(store).get(key) ?? []).slice(1))
  }

  count(store: StoreDefinition, signal: AbortSignal): Promise<Result<number, Failure>> {
    return this.#now(signal, () => this.#of(store).size)
  }

  #of({ name }: StoreDefinition): Map<string, Versions> {
    const known = this.#stores.get(name)
    if (known) return known
    const made = new Map<string, Versions>()
    this.#stores.set(name, made)
    return made
  }

  /** All of it happens in one tick, so nothing is ever half done. */
  #now<T>(signal: AbortSignal, work: () => T): Promise<Result<T, Failure>> {
    return Promise.resolve(signal.aborted ? err(failure('TIMEOUT', 'the request was aborted')) : ok(work()))
  }
}

function plan(store: StoreDefinition, { key, payload, ifVersion }: StoreWrite, versions: Versions, planned: Map<string, Versions>): StoreWriteOutcome {
  const current = versions[0]?.version ?? 0
  if (ifVersion !== undefined && ifVersion !== current) return { key, stored: false, error: `the document stands at version ${current}, not ${ifVersion}` }
  const now = Date.now()
  const document: StoreDocument = {
    key, store: store.name, version: current + 1, payload: structuredClone(payload), computedAt: new Date(now).toISOString(), stale: false,
    ...(store.ttl === undefined ? {} : { expiresAt: new Date(now + store.ttl * 1_000).toISOString() }),
  }
  planned.set(key, [document, ...versions].slice(0, 1 + (store.history?.versions ?? 0)))
  return { key, stored: true, version: current + 1, ...(current === 0 ? {} : { previousVersion: current }) }
}

const fresh = (document: StoreDocument): StoreDocument => ({ ...document, payload: structuredClone(document.payload), stale: document.expiresAt !== undefined && Date.parse(document.expiresAt) <= Date.now() })

function compare(a: Json, b: Json): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0
}

function matches(document: StoreDocument, { field, op, value }: StoreFilter): boolean {
  const actual = document.payload[field] ?? null
  switch (op) {
    case 'eq': return same(actual, value)
    case 'ne': return !same(actual, value)
    case 'gt': return actual !== null && compare(actual, value) > 0
    case 'gte': return actual !== null && compare(actual, value) >= 0
    case 'lt': return actual !== null && compare(actual, value) < 0
    case 'lte': return actual !== null && compare(actual, value) <= 0
    case 'in': return Array.isArray(value) && value.some((one: Json) => same(actual, one))
    case 'contains': return Array.isArray(actual) ? actual.some((one: Json) => same(one, value)) : typeof actual === 'string' && actual.toLowerCase().includes(String(value).toLowerCase())
  }
}

const same = (a: Json, b: Json): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)
