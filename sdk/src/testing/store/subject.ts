import type { StoreBackend, StoreDefinition } from '../../index.ts'

export interface StoreKit {
  /** A backend of that tenant; every backend of one tenant sees the same documents. */
  of(tenant: string): StoreBackend
  /**
   * One round of removing the expired documents of all tenants; returns their number. Omitted if
   * the store removes no documents by itself.
   */
  purge?(): Promise<number>
  close(): Promise<void>
}

export const STORE: StoreDefinition = {
  name: 'deals',
  file: 'stores/deals.json',
  raw: {},
  history: { versions: 2 },
  entity: {
    name: 'Deal',
    key: '{id}',
    schema: {
      id: { type: 'string' },
      amount: { type: 'number' },
      stage: { type: 'enum', values: ['new', 'won', 'lost'] },
      closes: { type: 'datetime', nullable: true },
      tags: { type: 'array', item: { type: 'string' }, nullable: true },
      owner: {
        type: 'object',
        fields: { name: { type: 'string' }, senior: { type: 'boolean' } },
        nullable: true,
      },
    },
  },
}
export const deal = (id: string, amount: number, more: object = {}) => ({
  key: id,
  payload: { id, amount, stage: 'new', ...more },
})

export const ALL = { filters: [], limit: 100, offset: 0 }

/** How the tests of the contract reach a store. */
export interface StoreBench {
  readonly signal: AbortSignal
  /** Runs a test on a new kit, and closes it. */
  readonly using: (work: (kit: StoreKit) => Promise<void>) => Promise<void>
}

export function value<T>(
  result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly error: { readonly message: string } },
): T {
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}
