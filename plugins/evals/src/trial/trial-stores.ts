import {
  err,
  ok,
  SessionFacts,
  StoreBackend,
  type AgentBundle,
  type Failure,
  type Generation,
  type JsonObject,
  type Result,
  type StoreDefinition,
} from '@amodal/sdk'
import { keyOf } from '@amodal/sdk/stores'
import type { Check } from '../definition.ts'
import { EvalInvalid } from '../errors.ts'
import { SETUP, TESTER } from './trial-parts.ts'
import type { Trial } from './trial.ts'

/** Documents that one check of a store looks at. */
const MOST_DOCUMENTS = 1_000

interface Parts {
  readonly generation: () => Generation
}

/** Writes the documents that a case begins with. */
export async function seedStores(
  parts: Parts,
  trial: Trial,
  bundle: AgentBundle,
  stores: Readonly<Record<string, readonly JsonObject[]>>,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  const names = Object.keys(stores)
  if (names.length === 0) return ok(undefined)
  return inTenant(parts, trial, async (backend) => {
    for (const [name, documents] of Object.entries(stores)) {
      const store = storeOf(bundle, name)
      if (!store.ok) return store
      const writes = documents.map((payload) => ({ key: keyOf(store.value, payload), payload }))
      const keyed = writes.flatMap(({ key, payload }) =>
        key === undefined ? [] : [{ key, payload }],
      )
      if (keyed.length < writes.length)
        return err(
          EvalInvalid(`a document of "${name}" lacks a field of its key ${store.value.entity.key}`),
        )
      const written = await backend.write(
        store.value,
        keyed,
        { atomic: true, callKey: `${SETUP.run}:${name}` },
        signal,
      )
      if (!written.ok) return written
      const refused = written.value.find((outcome) => !outcome.stored)
      if (refused) return err(EvalInvalid(`"${name}" refused ${refused.key}`))
    }
    return ok(undefined)
  })
}

/** Documents that store checks ask for, in the order of these checks. */
export async function documentsOf(
  parts: Parts,
  trial: Trial,
  bundle: AgentBundle,
  all: readonly Check[],
  signal: AbortSignal,
): Promise<Result<readonly (readonly JsonObject[])[], Failure>> {
  const checks = all.filter((check) => check.kind === 'store')
  if (checks.length === 0) return ok([])
  return inTenant(parts, trial, async (backend) => {
    const found: (readonly JsonObject[])[] = []
    for (const check of checks) {
      const documents = await query(backend, bundle, check, signal)
      if (!documents.ok) return documents
      found.push(documents.value)
    }
    return ok(found)
  })
}

async function query(
  backend: StoreBackend,
  bundle: AgentBundle,
  { filters, store: name }: Extract<Check, { kind: 'store' }>,
  signal: AbortSignal,
): Promise<Result<readonly JsonObject[], Failure>> {
  const store = storeOf(bundle, name)
  if (!store.ok) return store
  const page = await backend.query(
    store.value,
    { filters, limit: MOST_DOCUMENTS, offset: 0 },
    signal,
  )
  return page.ok ? ok(page.value.documents.map(({ payload }) => payload)) : page
}

/** Removes every document that the tenant of a trial has. */
export async function clearStores(
  parts: Parts,
  trial: Pick<Trial, 'tenant'>,
  bundle: AgentBundle,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  const own = bundle.stores.filter(({ shared }) => shared !== true)
  if (own.length === 0) return ok(undefined)
  return inTenant(parts, trial, async (backend) => {
    for (const store of own) {
      for (;;) {
        const page = await backend.query(
          store,
          { filters: [], limit: MOST_DOCUMENTS, offset: 0 },
          signal,
        )
        if (!page.ok) return page
        if (page.value.documents.length === 0) break
        for (const { key } of page.value.documents) {
          const removed = await backend.remove(store, key, {}, signal)
          if (!removed.ok) return removed
        }
      }
    }
    return ok(undefined)
  })
}

function storeOf({ stores }: AgentBundle, name: string): Result<StoreDefinition, Failure> {
  const store = stores.find((one) => one.name === name)
  if (!store) return err(EvalInvalid(`there is no store "${name}"`))
  return store.shared === true
    ? err(EvalInvalid(`"${name}" is shared by all tenants: no eval writes to it`))
    : ok(store)
}

async function inTenant<T>(
  { generation }: Parts,
  { tenant }: Pick<Trial, 'tenant'>,
  work: (backend: StoreBackend) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const scope = generation().scope.child('session', [
    [SessionFacts, { tenant, session: SETUP.session, principal: TESTER }],
  ])
  try {
    const backend = scope.find(StoreBackend)
    return backend
      ? await work(backend)
      : err(EvalInvalid('this agent keeps no documents: no plugin provides stores'))
  } finally {
    await scope.close()
  }
}
