import type { StoreBackend, StoreDefinition } from '../index.ts'
import { describe, expect, it } from 'vitest'

export interface StoreKit {
  /** A backend of that tenant; the same tenant again sees the same documents. */
  of(tenant: string): StoreBackend
  close(): Promise<void>
}

const STORE: StoreDefinition = {
  name: 'deals', file: 'stores/deals.json', raw: {}, history: { versions: 2 },
  entity: {
    name: 'Deal', key: '{id}',
    schema: { id: { type: 'string' }, amount: { type: 'number' }, stage: { type: 'enum', values: ['new', 'won', 'lost'] }, closes: { type: 'datetime', nullable: true }, tags: { type: 'array', item: { type: 'string' }, nullable: true } },
  },
}
const deal = (id: string, amount: number, more: object = {}) => ({ key: id, payload: { id, amount, stage: 'new', ...more } })

/** What every store of documents must do. Run it on yours with the `make` that builds one. */
export function storeContract(name: string, { make }: { readonly make: () => Promise<StoreKit> }): void {
  describe(`store contract: ${name}`, () => {
    const signal = AbortSignal.timeout(60_000)
    const value = <T>(result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: { readonly message: string } }): T => {
      if (!result.ok) throw new Error(result.error.message)
      return result.value
    }
    const using = async (work: (kit: StoreKit) => Promise<void>): Promise<void> => {
      const kit = await make()
      try {
        await work(kit)
      } finally {
        await kit.close()
      }
    }
    const all = { filters: [], limit: 100, offset: 0 }

    it('gives back what was written, with its version', () => using(async (kit) => {
      const store = kit.of('a')
      expect(value(await store.write(STORE, [deal('d1', 5)], { atomic: true }, signal))).toEqual([{ key: 'd1', stored: true, version: 1 }])
      expect(value(await store.write(STORE, [deal('d1', 6)], { atomic: true }, signal))).toEqual([{ key: 'd1', stored: true, version: 2, previousVersion: 1 }])
      expect(value(await store.get(STORE, 'd1', signal))).toMatchObject({ key: 'd1', version: 2, payload: { id: 'd1', amount: 6 }, stale: false })
      expect(value(await store.get(STORE, 'd2', signal))).toBeUndefined()
      expect(value(await store.count(STORE, signal))).toBe(1)
    }))

    it('keeps as many earlier versions as the store says', () => using(async (kit) => {
      const store = kit.of('a')
      for (const amount of [1, 2, 3, 4]) value(await store.write(STORE, [deal('d1', amount)], { atomic: true }, signal))
      expect(value(await store.history(STORE, 'd1', signal)).map(({ payload }) => payload['amount'])).toEqual([3, 2])
    }))

    it('filters and sorts by the type of the field', () => using(async (kit) => {
      const store = kit.of('a')
      value(await store.write(STORE, [deal('d1', 9, { tags: ['x'] }), deal('d2', 10, { stage: 'won', tags: ['x', 'y'] }), deal('d3', 100, { closes: '2026-05-01T00:00:00Z' })], { atomic: true }, signal))
      const keys = async (query: object) => value(await store.query(STORE, { ...all, ...query }, signal)).documents.map(({ key }) => key)
      expect(await keys({ sort: { field: 'amount', descending: true } })).toEqual(['d3', 'd2', 'd1'])
      expect(await keys({ filters: [{ field: 'amount', op: 'gte', value: 10 }] })).toEqual(['d2', 'd3'])
      expect(await keys({ filters: [{ field: 'stage', op: 'in', value: ['won', 'lost'] }] })).toEqual(['d2'])
      expect(await keys({ filters: [{ field: 'stage', op: 'ne', value: 'won' }] })).toEqual(['d1', 'd3'])
      expect(await keys({ filters: [{ field: 'tags', op: 'contains', value: 'y' }] })).toEqual(['d2'])
      expect(await keys({ filters: [{ field: 'closes', op: 'gt', value: '2026-04-30T23:00:00Z' }] })).toEqual(['d3'])
      expect(value(await store.query(STORE, { ...all, limit: 1, offset: 1 }, signal))).toMatchObject({ total: 3, documents: [{ key: 'd2' }] })
      expect(value(await store.query(STORE, { ...all, filters: [{ field: 'stage', op: 'eq', value: 'lost' }] }, signal))).toEqual({ documents: [], total: 0 })
    }))

    it('loses no update: 20 writers on one key', () => using(async (kit) => {
      const store = kit.of('a')
      await Promise.all(Array.from({ length: 20 }, (_, n) => store.write(STORE, [deal('d1', n)], { atomic: true }, signal)))
      expect(value(await store.get(STORE, 'd1', signal))?.version).toBe(20)
    }))

    it('refuses a write over what somebody else wrote', () => using(async (kit) => {
      const store = kit.of('a')
      value(await store.write(STORE, [deal('d1', 1)], { atomic: true }, signal))
      const tries = await Promise.all(Array.from({ length: 5 }, (_, n) => store.write(STORE, [{ ...deal('d1', n), ifVersion: 1 }], { atomic: true }, signal)))
      expect(tries.filter((result) => value(result)[0]?.stored === true)).toHaveLength(1)
      expect(value(await store.get(STORE, 'd1', signal))?.version).toBe(2)
    }))

    it('writes the same call once', () => using(async (kit) => {
      const store = kit.of('a')
      const tries = await Promise.all([1, 2, 3].map(() => store.write(STORE, [deal('d1', 1)], { atomic: true, callKey: 'run:call' }, signal)))
      for (const one of tries) expect(value(one)).toEqual([{ key: 'd1', stored: true, version: 1 }])
      expect(value(await store.get(STORE, 'd1', signal))?.version).toBe(1)
      expect(value(await store.remove(STORE, 'd1', { callKey: 'run:remove' }, signal))).toBe(true)
      expect(value(await store.remove(STORE, 'd1', { callKey: 'run:remove' }, signal))).toBe(true)
      expect(value(await store.remove(STORE, 'd1', {}, signal))).toBe(false)
    }))

    it('writes an atomic batch as a whole or not at all, any other one by one', () => using(async (kit) => {
      const store = kit.of('a')
      const writes = [{ ...deal('d1', 1), ifVersion: 0 }, { ...deal('d2', 2), ifVersion: 7 }]
      expect(value(await store.write(STORE, writes, { atomic: true }, signal)).map(({ stored }) => stored)).toEqual([false, false])
      expect(value(await store.count(STORE, signal))).toBe(0)
      expect(value(await store.write(STORE, writes, { atomic: false }, signal)).map(({ stored }) => stored)).toEqual([true, false])
      expect(value(await store.count(STORE, signal))).toBe(1)
    }))

    it('shows a tenant its own documents only', () => using(async (kit) => {
      value(await kit.of('a').write(STORE, [deal('d1', 1)], { atomic: true, callKey: 'same' }, signal))
      value(await kit.of('b').write(STORE, [deal('d1', 2)], { atomic: true, callKey: 'same' }, signal))
      expect(value(await kit.of('a').get(STORE, 'd1', signal))?.payload['amount']).toBe(1)
      expect(value(await kit.of('b').get(STORE, 'd1', signal))?.payload['amount']).toBe(2)
      expect(value(await kit.of('c').query(STORE, all, signal)).total).toBe(0)
    }))

    it('keeps texts as they are, quotes and all', () => using(async (kit) => {
      const store = kit.of('a')
      const odd = `'; drop table x; -- "quoted" ünïcödé 漢字 🎉 \\ \n`
      value(await store.write(STORE, [{ key: odd, payload: { id: odd, amount: 0.1, stage: 'new' } }], { atomic: true }, signal))
      expect(value(await store.get(STORE, odd, signal))?.payload).toEqual({ id: odd, amount: 0.1, stage: 'new' })
      expect(value(await store.query(STORE, { ...all, filters: [{ field: 'id', op: 'eq', value: odd }] }, signal)).total).toBe(1)
    }))

    it('answers an aborted request with a value', () => using(async (kit) => {
      expect((await kit.of('a').get(STORE, 'd1', AbortSignal.abort())).ok).toBe(false)
    }))
  })
}
