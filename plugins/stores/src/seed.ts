import { keyOf } from '@amodal/sdk/stores'
import {
  hashOf,
  ok,
  type Failure,
  type Result,
  type StoreBackend,
  type StoreDefinition,
  type TenantId,
  timeLimit,
} from '@amodal/sdk'

/** ms for the documents of one store. */
const WRITE_MS = 30_000
/**
 * Cached tenants and stores; beyond, the write is repeated, which changes nothing.
 */
const REMEMBERED = 10_000

/**
 * Puts seed documents in, once per tenant and content: deleting them later does not bring them
 * back.
 */
export class Seeds {
  readonly #done = new Map<string, Promise<Result<void, Failure>>>()
  readonly #hashes = new WeakMap<StoreDefinition, string>()

  /**
   * Resolves once the seed documents were written. It takes no signal, since several callers share
   * it.
   */
  ensure(
    backend: StoreBackend,
    store: StoreDefinition,
    tenant: TenantId,
  ): Promise<Result<void, Failure>> {
    if (!store.seed || store.seed.length === 0) return Promise.resolve(ok(undefined))
    const hash = this.#hashOf(store)
    const key = JSON.stringify([tenant, store.name, hash])
    const known = this.#done.get(key)
    if (known) return known
    if (this.#done.size >= REMEMBERED) this.#done.clear()
    const work = write(backend, store, hash)
    this.#done.set(key, work)
    void work.then((result) => {
      if (!result.ok) this.#done.delete(key)
    })
    return work
  }

  #hashOf(store: StoreDefinition): string {
    const known = this.#hashes.get(store)
    if (known !== undefined) return known
    const hash = hashOf(store.seed ?? []).slice(0, 32)
    this.#hashes.set(store, hash)
    return hash
  }
}

/**
 * The key of the write is made of the documents, so every instance and every start agrees that it
 * happened.
 */
async function write(
  backend: StoreBackend,
  store: StoreDefinition,
  hash: string,
): Promise<Result<void, Failure>> {
  const writes = (store.seed ?? []).flatMap((payload) => {
    const key = keyOf(store, payload)
    return key === undefined ? [] : [{ key, payload, ifVersion: 0 }]
  })
  const written = await backend.write(
    store,
    writes,
    { atomic: false, callKey: `seed:${store.name}:${hash}` },
    timeLimit(WRITE_MS, `seeding ${store.name}`),
  )
  return written.ok ? ok(undefined) : written
}
