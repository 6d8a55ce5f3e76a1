import {
  err,
  failure,
  ok,
  type Failure,
  type Lease,
  type Result,
  type StoreBackend,
  type StoreDefinition,
  type StoreDocument,
  type StorePage,
  type StoreQuery,
  type StoreWrite,
  type StoreWriteOptions,
  type StoreWriteOutcome,
  type TenantId,
} from '@amodal/sdk'
import { copyJson } from '@amodal/sdk/data'
import {
  comparable,
  compareValues,
  matchesFilter,
  storeField,
  ttlOf,
  valueAt,
} from '@amodal/sdk/stores'

/** Of one document, newest first. */
type Versions = readonly StoreDocument[]

/**
 * Calls whose outcome is remembered, per tenant. Beyond, the oldest are forgotten; those of seed
 * documents never.
 */
const CALLS = 10_000

/** Documents of all tenants; each sees its own. */
export class MemoryStores {
  readonly #tenants = new Map<TenantId, TenantStores>()

  of(tenant: TenantId): StoreBackend {
    const known = this.#tenants.get(tenant)
    if (known) return known
    const made = new TenantStores()
    this.#tenants.set(tenant, made)
    return made
  }

  clear(): void {
    this.#tenants.clear()
  }

  /**
   * Removes documents that have been stale for `keepMs` milliseconds, with their earlier versions;
   * `most` at once, so that nobody waits for long.
   *
   * @returns how many went, by tenant and store
   */
  purge(keepMs: number, most: number): readonly Purged[] {
    const before = Date.now() - keepMs
    const gone: Purged[] = []
    for (const [tenant, stores] of this.#tenants)
      gone.push(
        ...stores
          .purge(before, most - gone.reduce((sum, { count }) => sum + count, 0))
          .map((one) => ({ tenant, ...one })),
      )
    return gone
  }
}

/** Documents of one store that a purge removed. */
export interface Purged {
  readonly tenant: TenantId
  readonly store: string
  readonly count: number
}

class TenantStores implements StoreBackend {
  readonly #stores = new Map<string, Map<string, Versions>>()
  readonly #calls = new Map<
    string,
    { readonly asked: string | undefined; readonly outcome: readonly StoreWriteOutcome[] | boolean }
  >()

  get(
    store: StoreDefinition,
    key: string,
    signal: AbortSignal,
  ): Promise<Result<StoreDocument | undefined, Failure>> {
    return now(signal, undefined, () => {
      const found = this.#of(store).get(key)?.[0]
      return found && copyOf(found)
    })
  }

  query(
    store: StoreDefinition,
    { filters, sort, limit, offset, changedSince }: StoreQuery,
    signal: AbortSignal,
  ): Promise<Result<StorePage, Failure>> {
    return now(signal, undefined, () => {
      const newest = [...this.#of(store).values()].flatMap(([one]) => one ?? [])
      const found = newest
        .filter(
          ({ payload, computedAt }) =>
            (changedSince === undefined || computedAt >= changedSince) &&
            filters.every((filter) => matchesFilter(store, payload, filter)),
        )
        .sort(inOrder(store, sort))
      return { documents: found.slice(offset, offset + limit).map(copyOf), total: found.length }
    })
  }

  write(
    store: StoreDefinition,
    writes: readonly StoreWrite[],
    options: StoreWriteOptions,
    signal: AbortSignal,
  ): Promise<Result<readonly StoreWriteOutcome[], Failure>> {
    const { atomic, lease } = options
    return once(signal, lease, () =>
      this.#once(options, () => {
        const documents = this.#of(store)
        const planned = new Map<string, Versions>()
        const outcomes = writes.map((write) =>
          plan(store, write, planned.get(write.key) ?? documents.get(write.key) ?? [], planned),
        )
        if (atomic && outcomes.some(({ stored }) => !stored))
          return outcomes.map((one) =>
            one.stored
              ? { key: one.key, stored: false, error: 'another document of this batch was refused' }
              : one,
          )
        for (const [key, versions] of planned) documents.set(key, versions)
        return outcomes
      }),
    )
  }

  remove(
    store: StoreDefinition,
    key: string,
    options: Pick<StoreWriteOptions, 'callKey' | 'requestDigest' | 'lease'>,
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>> {
    return once(signal, options.lease, () => this.#once(options, () => this.#of(store).delete(key)))
  }

  history(
    store: StoreDefinition,
    key: string,
    signal: AbortSignal,
  ): Promise<Result<readonly StoreDocument[], Failure>> {
    return now(signal, undefined, () => (this.#of(store).get(key) ?? []).slice(1).map(copyOf))
  }

  count(store: StoreDefinition, signal: AbortSignal): Promise<Result<number, Failure>> {
    return now(signal, undefined, () => this.#of(store).size)
  }

  purge(before: number, most: number): readonly Omit<Purged, 'tenant'>[] {
    let left = most
    return [...this.#stores].flatMap(([store, documents]) => {
      const due = [...documents.values()]
        .flatMap(([one]) =>
          one?.expiresAt !== undefined && Date.parse(one.expiresAt) <= before ? [one.key] : [],
        )
        .slice(0, left)
      for (const key of due) documents.delete(key)
      left -= due.length
      return due.length > 0 ? [{ store, count: due.length }] : []
    })
  }

  #of({ name }: StoreDefinition): Map<string, Versions> {
    const known = this.#stores.get(name)
    if (known) return known
    const made = new Map<string, Versions>()
    this.#stores.set(name, made)
    return made
  }

  /** A repeated key changes nothing and returns the first outcome. */
  #once<T extends readonly StoreWriteOutcome[] | boolean>(
    { callKey, requestDigest: asked }: Pick<StoreWriteOptions, 'callKey' | 'requestDigest'>,
    work: () => T,
  ): T | typeof OTHER {
    const before = callKey === undefined ? undefined : this.#calls.get(callKey)
    // kept below, under the same key
    if (before !== undefined) return before.asked === asked ? (before.outcome as T) : OTHER
    const outcome = work()
    if (callKey === undefined) return outcome
    if (this.#calls.size >= CALLS)
      for (const key of this.#calls.keys())
        if (!key.startsWith('seed:')) {
          this.#calls.delete(key)
          break
        }
    this.#calls.set(callKey, { asked, outcome })
    return outcome
  }
}

/** The key was used for a different write. */
const OTHER = Symbol('other')

async function once<T>(
  signal: AbortSignal,
  lease: Lease | undefined,
  work: () => T | typeof OTHER,
): Promise<Result<T, Failure>> {
  const done = await now(signal, lease, work)
  if (!done.ok) return done
  return done.value === OTHER
    ? err(failure('MESSAGE_CONFLICT', 'this key belongs to another write'))
    : ok(done.value)
}

/** All of it happens in one tick, so nothing is ever half done. */
function now<T>(
  signal: AbortSignal,
  lease: Lease | undefined,
  work: () => T,
): Promise<Result<T, Failure>> {
  if (lease && lease.remainingMs() <= lease.margin)
    return Promise.resolve(
      err(failure('LEASE_LOST', 'nothing was written: this process no longer holds the session')),
    )
  return Promise.resolve(
    signal.aborted ? err(failure('TIMEOUT', 'the request was aborted')) : ok(work()),
  )
}

function plan(
  store: StoreDefinition,
  { key, payload, ifVersion, trace }: StoreWrite,
  versions: Versions,
  planned: Map<string, Versions>,
): StoreWriteOutcome {
  const current = versions[0]?.version ?? 0
  if (ifVersion !== undefined && ifVersion !== current)
    return {
      key,
      stored: false,
      error: `the document stands at version ${current}, not ${ifVersion}`,
    }
  const at = Date.now()
  const ttl = ttlOf(store, payload)
  const document: StoreDocument = {
    key,
    store: store.name,
    version: current + 1,
    payload: copyJson(payload),
    computedAt: new Date(at).toISOString(),
    stale: false,
    ...(ttl !== undefined && { expiresAt: new Date(at + ttl * 1_000).toISOString() }),
    ...(trace && { trace: copyJson(trace) }),
  }
  planned.set(key, [document, ...versions].slice(0, 1 + (store.history?.versions ?? 0)))
  return {
    key,
    stored: true,
    version: current + 1,
    ...(current > 0 && { previousVersion: current }),
  }
}

/** Copies values, so that callers cannot modify what is stored. */
const copyOf = (document: StoreDocument): StoreDocument => ({
  ...document,
  payload: copyJson(document.payload),
  stale: document.expiresAt !== undefined && Date.parse(document.expiresAt) <= Date.now(),
})

/** Equal ones by key, in the same direction; what has no value comes last in either. */
function inOrder(
  store: StoreDefinition,
  sort: StoreQuery['sort'],
): (a: StoreDocument, b: StoreDocument) => number {
  const direction = sort?.descending === true ? -1 : 1
  const { field, path } = (sort && storeField(store, sort.field)) ?? { field: undefined, path: [] }
  const valueOf = ({ payload }: StoreDocument): number | string | undefined =>
    comparable(valueAt(payload, path), field)
  return (a, b) => {
    const [one, other] = [valueOf(a), valueOf(b)]
    const byKey = direction * compareValues(a.key, b.key)
    if (one === undefined) return other === undefined ? byKey : 1
    if (other === undefined) return -1
    return direction * compareValues(one, other) || byKey
  }
}
