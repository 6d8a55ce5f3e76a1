import {
  err, type Failure, failure, isList, isObject, type Json, momentOf, never, ok, type Result,
  type StoreBackend, type StoreDefinition, type StoreDocument, type StoreField, type StoreFilter, type StorePage,
  type StoreQuery, type StoreWrite, type StoreWriteOptions, type StoreWriteOutcome, type TenantId,
} from '@amodal/sdk'

/** Of one document, newest first. */
type Versions = readonly StoreDocument[]

/** Calls whose outcome is remembered, per tenant. Beyond, the oldest are forgotten; those of seed documents never. */
const CALLS = 10_000

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
    return now(signal, () => { const found = this.#of(store).get(key)?.[0]; return found && copyOf(found) })
  }

  query(store: StoreDefinition, { filters, sort, limit, offset }: StoreQuery, signal: AbortSignal): Promise<Result<StorePage, Failure>> {
    return now(signal, () => {
      const fieldOf = (name: string): StoreField | undefined => store.entity.schema[name]
      const newest = [...this.#of(store).values()].flatMap(([one]) => one ?? [])
      const found = newest.filter((document) => filters.every((filter) => matches(document, filter, fieldOf(filter.field))))
      const byKey = (a: StoreDocument, b: StoreDocument): number => (a.key < b.key ? -1 : 1)
      const sorted = found.sort((a, b) => (sort ? inOrder(a, b, sort, fieldOf(sort.field)) : 0) || byKey(a, b))
      return { documents: sorted.slice(offset, offset + limit).map(copyOf), total: found.length }
    })
  }

  write(store: StoreDefinition, writes: readonly StoreWrite[], options: StoreWriteOptions, signal: AbortSignal): Promise<Result<readonly StoreWriteOutcome[], Failure>> {
    const { atomic, callKey } = options
    return now(signal, () => this.#once(callKey, () => {
      const documents = this.#of(store)
      const planned = new Map<string, Versions>()
      const outcomes = writes.map((write) => plan(store, write, planned.get(write.key) ?? documents.get(write.key) ?? [], planned))
      if (atomic && outcomes.some(({ stored }) => !stored)) return outcomes.map((one) => (one.stored ? { key: one.key, stored: false, error: 'another document of this batch was refused' } : one))
      for (const [key, versions] of planned) documents.set(key, versions)
      return outcomes
    }))
  }

  remove(store: StoreDefinition, key: string, { callKey }: Pick<StoreWriteOptions, 'callKey'>, signal: AbortSignal): Promise<Result<boolean, Failure>> {
    return now(signal, () => this.#once(callKey, () => this.#of(store).delete(key)))
  }

  history(store: StoreDefinition, key: string, signal: AbortSignal): Promise<Result<readonly StoreDocument[], Failure>> {
    return now(signal, () => (this.#of(store).get(key) ?? []).slice(1).map(copyOf))
  }

  count(store: StoreDefinition, signal: AbortSignal): Promise<Result<number, Failure>> {
    return now(signal, () => this.#of(store).size)
  }

  #of({ name }: StoreDefinition): Map<string, Versions> {
    const known = this.#stores.get(name)
    if (known) return known
    const made = new Map<string, Versions>()
    this.#stores.set(name, made)
    return made
  }

  /** The same key again changes nothing, and answers as it did. */
  #once<T extends readonly StoreWriteOutcome[] | boolean>(callKey: string | undefined, work: () => T): T {
    const before = callKey === undefined ? undefined : this.#calls.get(callKey)
    if (before !== undefined) return before as T // kept below, under the same key
    const outcome = work()
    if (callKey === undefined) return outcome
    if (this.#calls.size >= CALLS) for (const key of this.#calls.keys()) if (!key.startsWith('seed:')) { this.#calls.delete(key); break }
    this.#calls.set(callKey, outcome)
    return outcome
  }
}

/** All of it happens in one tick, so nothing is ever half done. */
function now<T>(signal: AbortSignal, work: () => T): Promise<Result<T, Failure>> {
  return Promise.resolve(signal.aborted ? err(failure('TIMEOUT', 'the request was aborted')) : ok(work()))
}

function plan(store: StoreDefinition, { key, payload, ifVersion }: StoreWrite, versions: Versions, planned: Map<string, Versions>): StoreWriteOutcome {
  const current = versions[0]?.version ?? 0
  if (ifVersion !== undefined && ifVersion !== current) return { key, stored: false, error: `the document stands at version ${current}, not ${ifVersion}` }
  const at = Date.now()
  const document: StoreDocument = {
    key, store: store.name, version: current + 1, payload: structuredClone(payload), computedAt: new Date(at).toISOString(), stale: false,
    ...(store.ttl !== undefined && { expiresAt: new Date(at + store.ttl * 1_000).toISOString() }),
  }
  planned.set(key, [document, ...versions].slice(0, 1 + (store.history?.versions ?? 0)))
  return { key, stored: true, version: current + 1, ...(current > 0 && { previousVersion: current }) }
}

/** Nobody outside holds what is kept. */
const copyOf = (document: StoreDocument): StoreDocument =>
  ({ ...document, payload: structuredClone(document.payload), stale: document.expiresAt !== undefined && Date.parse(document.expiresAt) <= Date.now() })

/** A value of the field's own type that can be compared; `undefined` for anything else, such as one from before the schema changed. */
function comparable(value: Json | undefined, field: StoreField | undefined): number | string | undefined {
  const type = field?.type
  switch (type) {
    case 'number': return typeof value === 'number' ? value : undefined
    case 'boolean': return typeof value === 'boolean' ? Number(value) : undefined
    case 'datetime': return typeof value === 'string' ? momentOf(value) : undefined
    case undefined: case 'string': case 'enum': case 'ref': case 'array': case 'object':
      return typeof value === 'string' ? value : value === undefined || value === null ? undefined : JSON.stringify(value)
    default: return never(type)
  }
}

const compare = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0)

/** What has no value comes last, in either direction. */
function inOrder(a: StoreDocument, b: StoreDocument, { field: name, descending }: NonNullable<StoreQuery['sort']>, field: StoreField | undefined): number {
  const [one, other] = [comparable(a.payload[name], field), comparable(b.payload[name], field)]
  if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? 1 : -1
  return (descending ? -1 : 1) * compare(one, other)
}

function matches(document: StoreDocument, { field: name, op, value }: StoreFilter, field: StoreField | undefined): boolean {
  const actual = document.payload[name] ?? null
  const than = (test: (order: number) => boolean): boolean => {
    const [one, other] = [comparable(actual, field), comparable(value, field)]
    return one !== undefined && other !== undefined && test(compare(one, other))
  }
  switch (op) {
    case 'eq': return same(actual, value)
    case 'ne': return !same(actual, value)
    case 'gt': return than((order) => order > 0)
    case 'gte': return than((order) => order >= 0)
    case 'lt': return than((order) => order < 0)
    case 'lte': return than((order) => order <= 0)
    case 'in': return isList(value) && value.some((one) => same(actual, one))
    case 'contains': return isList(actual) ? actual.some((one) => same(one, value)) : typeof actual === 'string' && typeof value === 'string' && actual.toLowerCase().includes(value.toLowerCase())
    default: return never(op)
  }
}

/** Equal as JSON: the order of names does not count. */
function same(a: Json, b: Json): boolean {
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, index) => same(item, b[index] ?? null))
  if (!isObject(a) || !isObject(b)) return a === b
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && same(a[name] ?? null, b[name] ?? null))
}
