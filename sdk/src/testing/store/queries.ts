import { expect, it } from 'vitest'
import { ALL, deal, STORE, value, type StoreBench } from './subject.ts'

/** Reading documents and their versions. */
export function queryTests({ signal, using }: StoreBench): void {
  it('gives back what was written, with its version', () =>
    using(async (kit) => {
      const store = kit.of('a')
      expect(value(await store.write(STORE, [deal('d1', 5)], { atomic: true }, signal))).toEqual([
        { key: 'd1', stored: true, version: 1 },
      ])
      expect(value(await store.write(STORE, [deal('d1', 6)], { atomic: true }, signal))).toEqual([
        { key: 'd1', stored: true, version: 2, previousVersion: 1 },
      ])
      expect(value(await store.get(STORE, 'd1', signal))).toMatchObject({
        key: 'd1',
        version: 2,
        payload: { id: 'd1', amount: 6 },
        stale: false,
      })
      expect(value(await store.get(STORE, 'd2', signal))).toBeUndefined()
      expect(value(await store.count(STORE, signal))).toBe(1)
    }))

  it('keeps as many earlier versions as the store says', () =>
    using(async (kit) => {
      const store = kit.of('a')
      for (const amount of [1, 2, 3, 4])
        value(await store.write(STORE, [deal('d1', amount)], { atomic: true }, signal))
      expect(
        value(await store.history(STORE, 'd1', signal)).map(({ payload }) => payload['amount']),
      ).toEqual([3, 2])
    }))

  it('filters and sorts by the type of the field', () =>
    using(async (kit) => {
      const store = kit.of('a')
      value(
        await store.write(
          STORE,
          [
            deal('d1', 9, { tags: ['x'] }),
            deal('d2', 10, { stage: 'won', tags: ['x', 'y'] }),
            deal('d3', 100, { closes: '2026-05-01T00:00:00Z' }),
          ],
          { atomic: true },
          signal,
        ),
      )
      const keys = async (query: object) =>
        value(await store.query(STORE, { ...ALL, ...query }, signal)).documents.map(
          ({ key }) => key,
        )
      expect(await keys({ sort: { field: 'amount', descending: true } })).toEqual([
        'd3',
        'd2',
        'd1',
      ])
      expect(await keys({ filters: [{ field: 'amount', op: 'gte', value: 10 }] })).toEqual([
        'd2',
        'd3',
      ])
      expect(
        await keys({ filters: [{ field: 'stage', op: 'in', value: ['won', 'lost'] }] }),
      ).toEqual(['d2'])
      expect(await keys({ filters: [{ field: 'stage', op: 'ne', value: 'won' }] })).toEqual([
        'd1',
        'd3',
      ])
      expect(await keys({ filters: [{ field: 'tags', op: 'contains', value: 'y' }] })).toEqual([
        'd2',
      ])
      expect(
        await keys({ filters: [{ field: 'closes', op: 'gt', value: '2026-04-30T23:00:00Z' }] }),
      ).toEqual(['d3'])
      expect(
        value(await store.query(STORE, { ...ALL, limit: 1, offset: 1 }, signal)),
      ).toMatchObject({ total: 3, documents: [{ key: 'd2' }] })
      expect(
        value(
          await store.query(
            STORE,
            { ...ALL, filters: [{ field: 'stage', op: 'eq', value: 'lost' }] },
            signal,
          ),
        ),
      ).toEqual({ documents: [], total: 0 })
    }))

  it('may leave out documents that were written earlier, and no others', () =>
    using(async (kit) => {
      const store = kit.of('a')
      value(await store.write(STORE, [deal('d1', 1), deal('d2', 2)], { atomic: true }, signal))
      const [first] = value(await store.query(STORE, ALL, signal)).documents
      const changedSince = new Date(Date.parse(first?.computedAt ?? '') + 1).toISOString()
      await expect
        .poll(async () => {
          value(await store.write(STORE, [deal('d2', 3)], { atomic: true }, signal))
          return value(await store.get(STORE, 'd2', signal))?.computedAt ?? ''
        })
        .satisfy((at: string) => at >= changedSince)
      const changed = value(await store.query(STORE, { ...ALL, changedSince }, signal))
      expect(changed.documents.map(({ key }) => key)).toContain('d2')
      expect(changed.total).toBe(changed.documents.length)
    }))

  it('filters and sorts by fields inside others; equal ones by key, in the same direction', () =>
    using(async (kit) => {
      const store = kit.of('a')
      const owners = {
        d1: { name: 'Bo', senior: true },
        d2: { name: 'Al', senior: false },
        d3: { name: 'Bo', senior: false },
        d4: null,
      }
      value(
        await store.write(
          STORE,
          Object.entries(owners).map(([id, owner]) => deal(id, 1, { owner })),
          { atomic: true },
          signal,
        ),
      )
      const keys = async (query: object) =>
        value(await store.query(STORE, { ...ALL, ...query }, signal)).documents.map(
          ({ key }) => key,
        )
      expect(await keys({ sort: { field: 'owner.name', descending: false } })).toEqual([
        'd2',
        'd1',
        'd3',
        'd4',
      ])
      expect(await keys({ sort: { field: 'owner.name', descending: true } })).toEqual([
        'd3',
        'd1',
        'd2',
        'd4',
      ])
      expect(
        await keys({
          filters: [{ field: 'owner.senior', op: 'eq', value: false }],
          sort: { field: 'owner.name', descending: true },
        }),
      ).toEqual(['d3', 'd2'])
      expect(
        await keys({
          filters: [
            { field: 'owner.name', op: 'gt', value: 'Al' },
            { field: 'owner.senior', op: 'in', value: [true] },
          ],
        }),
      ).toEqual(['d1'])
      expect(await keys({ filters: [{ field: 'owner', op: 'eq', value: null }] })).toEqual(['d4'])
    }))

  it('answers over thousands of documents as over a few', () =>
    using(async (kit) => {
      const store = kit.of('a')
      const many = Array.from({ length: 3_000 }, (_, n) =>
        deal(`d${String(n).padStart(4, '0')}`, (n * 7) % 1_000, {
          stage: n % 3 === 0 ? 'won' : 'new',
          ...(n % 5 > 0 && { closes: new Date(Date.UTC(2026, 0, 1 + (n % 90))).toISOString() }),
        }),
      )
      for (let at = 0; at < many.length; at += 1_000)
        value(await store.write(STORE, many.slice(at, at + 1_000), { atomic: true }, signal))
      const pageOf = async (query: object) => {
        const { total, documents } = value(
          await store.query(STORE, { ...ALL, limit: 5, ...query }, signal),
        )
        return [total, ...documents.map(({ key }) => key)]
      }
      const expected = (
        found: typeof many,
        valueOf: (one: (typeof many)[number]) => number | undefined,
        descending: boolean,
        offset: number,
      ) => {
        const order = [...found].sort((a, b) => {
          const [x, y] = [valueOf(a), valueOf(b)]
          const byKey = a.key < b.key ? -1 : 1
          const last = Number(x === undefined) - Number(y === undefined)
          return last || (descending ? -1 : 1) * ((x ?? 0) - (y ?? 0) || byKey)
        })
        return [found.length, ...order.slice(offset, offset + 5).map(({ key }) => key)]
      }
      const amount = ({ payload }: (typeof many)[number]) => payload.amount
      const closes = ({ payload }: (typeof many)[number]) =>
        'closes' in payload && typeof payload.closes === 'string'
          ? Date.parse(payload.closes)
          : undefined
      expect(await pageOf({ offset: 2_998 })).toEqual([3_000, 'd2998', 'd2999'])
      for (const descending of [false, true]) {
        expect(await pageOf({ sort: { field: 'amount', descending }, offset: 1 })).toEqual(
          expected(many, amount, descending, 1),
        )
        expect(await pageOf({ sort: { field: 'closes', descending }, offset: 2_397 })).toEqual(
          expected(many, closes, descending, 2_397),
        )
      }
      const large = many.filter((one) => amount(one) >= 200)
      expect(
        await pageOf({
          filters: [{ field: 'amount', op: 'gte', value: 200 }],
          sort: { field: 'closes', descending: false },
        }),
      ).toEqual(expected(large, closes, false, 0))
      const won = many.filter(({ payload }) => payload.stage === 'won')
      expect(
        await pageOf({
          filters: [{ field: 'stage', op: 'ne', value: 'new' }],
          sort: { field: 'amount', descending: true },
        }),
      ).toEqual(expected(won, amount, true, 0))
      expect(
        await pageOf({
          filters: [{ field: 'stage', op: 'eq', value: 'lost' }],
          sort: { field: 'amount', descending: true },
        }),
      ).toEqual([0])
    }))

  it('compares moments whatever their offset, and sorts what has none last', () =>
    using(async (kit) => {
      const store = kit.of('a')
      const moments = {
        d1: '2026-05-01T01:00:00+02:00',
        d2: '2026-04-30T23:30:00Z',
        d3: '2026-05-01',
        d4: null,
      }
      value(
        await store.write(
          STORE,
          Object.entries(moments).map(([id, closes]) => deal(id, 1, { closes })),
          { atomic: true },
          signal,
        ),
      )
      const keys = async (query: object) =>
        value(await store.query(STORE, { ...ALL, ...query }, signal)).documents.map(
          ({ key }) => key,
        )
      expect(await keys({ sort: { field: 'closes', descending: false } })).toEqual([
        'd1',
        'd2',
        'd3',
        'd4',
      ])
      expect(await keys({ sort: { field: 'closes', descending: true } })).toEqual([
        'd3',
        'd2',
        'd1',
        'd4',
      ])
      expect(
        await keys({
          filters: [{ field: 'closes', op: 'lte', value: '2026-04-30T19:00:00-04:30' }],
        }),
      ).toEqual(['d1', 'd2'])
      expect(await keys({ filters: [{ field: 'closes', op: 'eq', value: null }] })).toEqual(['d4'])
    }))

  it('answers a query over documents from before the schema changed', () =>
    using(async (kit) => {
      const store = kit.of('a')
      value(
        await store.write(
          STORE,
          [
            deal('d1', 1, { closes: '2026-02-30' }),
            { key: 'd2', payload: { id: 'd2', amount: 'many', closes: 7 } },
            deal('d3', 3, { closes: '2026-02-03' }),
          ],
          { atomic: true },
          signal,
        ),
      )
      const keys = async (query: object) =>
        value(await store.query(STORE, { ...ALL, ...query }, signal)).documents.map(
          ({ key }) => key,
        )
      expect(await keys({ sort: { field: 'amount', descending: true } })).toEqual([
        'd3',
        'd1',
        'd2',
      ])
      expect(await keys({ filters: [{ field: 'amount', op: 'lt', value: 2 }] })).toEqual(['d1'])
      expect(await keys({ filters: [{ field: 'closes', op: 'gt', value: '2026-01-01' }] })).toEqual(
        ['d3'],
      )
      expect(await keys({ filters: [{ field: 'amount', op: 'gt', value: 'few' }] })).toEqual([])
    }))
}
