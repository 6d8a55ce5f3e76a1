import { hashOf, type Failure, type Result, type StoreBackend, type StoreDefinition, ok } from '@amodal/sdk'
import { keyOf } from './shape.ts'

export interface Seeds {
  /** Puts a store's seed documents in, once per tenant and content: deleting them later does not bring them back. */
  ensure(backend: StoreBackend, store: StoreDefinition, signal: AbortSignal): Promise<Result<void, Failure>>
  forget(): void
}

export function seeded(): Seeds {
  let done = new WeakMap<StoreBackend, Map<string, Promise<Result<void, Failure>>>>()
  return {
    ensure(backend, store, signal) {
      if (!store.seed || store.seed.length === 0) return Promise.resolve(ok(undefined))
      const byStore = done.get(backend) ?? new Map<string, Promise<Result<void, Failure>>>()
      done.set(backend, byStore)
      const known = byStore.get(store.name)
      if (known) return known
      const work = write(backend, store, signal)
      byStore.set(store.name, work)
      void work.then((result) => { if (!result.ok) byStore.delete(store.name) })
      return work
    },
    forget: () => { done = new WeakMap() },
  }
}

/** The key of the write is made of the documents, so every instance and every start agrees that it happened. */
async function write(backend: StoreBackend, store: StoreDefinition, signal: AbortSignal): Promise<Result<void, Failure>> {
  const writes = (store.seed ?? []).flatMap((payload) => {
    const key = keyOf(store, payload)
    return key === undefined ? [] : [{ key, payload, ifVersion: 0 }]
  })
  const written = await backend.write(store, writes, { atomic: false, callKey: `seed:${store.name}:${hashOf(store.seed ?? []).slice(0, 32)}` }, signal)
  return written.ok ? ok(undefined) : written
}
