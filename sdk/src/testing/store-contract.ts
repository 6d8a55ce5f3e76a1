import type { StoreBackend, StoreDefinition } from '../index.ts'
import { describe, expect, it } from 'vitest'

export interface StoreKit {
  /** A backend of that tenant; the same tenant again sees the same documents. */
  of(tenant: string): StoreBackend
  /**
   * One round of removing what has expired, of all tenants; how many went. Left out where nothing
   * is removed by itself.
   */
  purge?(): Promise<number>
  close(): Promise<void>
}

const STORE: StoreDefinition = {
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
const deal = (id: string, amount: number, more: object = {}) => ({
  key: id,
  payload: { id, amount, stage: 'new', ...more },
})

/** What every store of documents must do. Run it on yours with the `make` that builds one. */
export function storeContract(
  name: string,
  { make }: { readonly make: () => Promise<StoreKit> },
): void {
  describe(`store contract: ${name}`, () => {
    const signal = AbortSignal.timeout(60_000)
    const value = <T>(
      result:
        | { readonly ok: true; readonly value: T }
        | { readonly ok: false; readonly error: { readonly message: string } },
    ): T => {
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
          value(await store.query(STORE, { ...all, ...query }, signal)).documents.map(
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
          value(await store.query(STORE, { ...all, limit: 1, offset: 1 }, signal)),
        ).toMatchObject({ total: 3, documents: [{ key: 'd2' }] })
        expect(
          value(
            await store.query(
              STORE,
              { ...all, filters: [{ field: 'stage', op: 'eq', value: 'lost' }] },
              signal,
            ),
          ),
        ).toEqual({ documents: [], total: 0 })
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
          value(await store.query(STORE, { ...all, ...query }, signal)).documents.map(
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
            await store.query(STORE, { ...all, limit: 5, ...query }, signal),
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
          value(await store.query(STORE, { ...all, ...query }, signal)).documents.map(
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
        expect(await keys({ filters: [{ field: 'closes', op: 'eq', value: null }] })).toEqual([
          'd4',
        ])
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
          value(await store.query(STORE, { ...all, ...query }, signal)).documents.map(
            ({ key }) => key,
          )
        expect(await keys({ sort: { field: 'amount', descending: true } })).toEqual([
          'd3',
          'd1',
          'd2',
        ])
        expect(await keys({ filters: [{ field: 'amount', op: 'lt', value: 2 }] })).toEqual(['d1'])
        expect(
          await keys({ filters: [{ field: 'closes', op: 'gt', value: '2026-01-01' }] }),
        ).toEqual(['d3'])
        expect(await keys({ filters: [{ field: 'amount', op: 'gt', value: 'few' }] })).toEqual([])
      }))

    it('loses no update and no version: 50 writers on one key', () =>
      using(async (kit) => {
        const store = kit.of('a')
        await Promise.all(
          Array.from({ length: 50 }, (_, n) =>
            store.write(STORE, [deal('d1', n)], { atomic: true }, signal),
          ),
        )
        expect(value(await store.get(STORE, 'd1', signal))?.version).toBe(50)
        expect(
          value(await store.history(STORE, 'd1', signal)).map(({ version }) => version),
        ).toEqual([49, 48])
      }))

    it('writes batches that overlap side by side', () =>
      using(async (kit) => {
        const store = kit.of('a')
        const ids = ['d1', 'd2', 'd3', 'd4', 'd5']
        const order = (n: number): readonly string[] => [
          ...ids.slice(n % 5),
          ...ids.slice(0, n % 5),
        ]
        const done = await Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            store.write(
              STORE,
              order(n).map((id) => deal(id, n)),
              { atomic: true },
              signal,
            ),
          ),
        )
        expect(done.flatMap((one) => value(one)).every(({ stored }) => stored)).toBe(true)
        for (const id of ids) expect(value(await store.get(STORE, id, signal))?.version).toBe(20)
      }))

    it('takes one key several times in a batch, in order', () =>
      using(async (kit) => {
        const store = kit.of('a')
        expect(
          value(
            await store.write(
              STORE,
              [deal('d1', 1), deal('d2', 2), deal('d1', 3)],
              { atomic: true },
              signal,
            ),
          ),
        ).toEqual([
          { key: 'd1', stored: true, version: 1 },
          { key: 'd2', stored: true, version: 1 },
          { key: 'd1', stored: true, version: 2, previousVersion: 1 },
        ])
        expect(value(await store.get(STORE, 'd1', signal))?.payload['amount']).toBe(3)
        expect(
          value(await store.history(STORE, 'd1', signal)).map(({ payload }) => payload['amount']),
        ).toEqual([1])
      }))

    it('forgets the versions of a document that is removed', () =>
      using(async (kit) => {
        const store = kit.of('a')
        for (const amount of [1, 2])
          value(await store.write(STORE, [deal('d1', amount)], { atomic: true }, signal))
        expect(value(await store.remove(STORE, 'd1', {}, signal))).toBe(true)
        expect(value(await store.history(STORE, 'd1', signal))).toEqual([])
        for (const amount of [3, 4])
          value(await store.write(STORE, [deal('d1', amount)], { atomic: true }, signal))
        expect(
          value(await store.history(STORE, 'd1', signal)).map(({ version, payload }) => [
            version,
            payload['amount'],
          ]),
        ).toEqual([[1, 3]])
      }))

    it('says when a document has grown old', () =>
      using(async (kit) => {
        const store = kit.of('a')
        const brief = { ...STORE, name: 'brief', ttl: 0.05 }
        value(await store.write(brief, [deal('d1', 1)], { atomic: true }, signal))
        const written = value(await store.get(brief, 'd1', signal))
        expect(Date.parse(written?.expiresAt ?? '') - Date.parse(written?.computedAt ?? '')).toBe(
          50,
        )
        await expect.poll(async () => value(await store.get(brief, 'd1', signal))?.stale).toBe(true)
      }))

    it('is fresh for as long as the first rule says whose conditions hold', () =>
      using(async (kit) => {
        const store = kit.of('a')
        const ruled: StoreDefinition = {
          ...STORE,
          ttl: 100,
          ttlRules: [
            {
              when: [
                { field: 'amount', op: 'gt', value: 5 },
                { field: 'stage', op: 'in', value: ['new'] },
              ],
              ttl: 10,
            },
            { when: [{ field: 'amount', op: 'gt', value: 5 }], ttl: 20 },
          ],
        }
        value(
          await store.write(
            ruled,
            [deal('d1', 6), deal('d2', 6, { stage: 'won' }), deal('d3', 5)],
            { atomic: true },
            signal,
          ),
        )
        const seconds = []
        for (const key of ['d1', 'd2', 'd3']) {
          const one = value(await store.get(ruled, key, signal))
          seconds.push(Date.parse(one?.expiresAt ?? '') - Date.parse(one?.computedAt ?? ''))
        }
        expect(seconds).toEqual([10_000, 20_000, 100_000])
      }))

    it('keeps the trace of a write with the document, and with its versions', () =>
      using(async (kit) => {
        const store = kit.of('a')
        value(
          await store.write(
            STORE,
            [{ ...deal('d1', 1), trace: { reasoning: 'first' } }],
            { atomic: true },
            signal,
          ),
        )
        value(
          await store.write(
            STORE,
            [{ ...deal('d1', 2), trace: { reasoning: 'second' } }, deal('d1', 3)],
            { atomic: true },
            signal,
          ),
        )
        expect(value(await store.get(STORE, 'd1', signal))?.trace).toBeUndefined()
        expect(value(await store.history(STORE, 'd1', signal)).map(({ trace }) => trace)).toEqual([
          { reasoning: 'second' },
          { reasoning: 'first' },
        ])
      }))

    it('removes what has expired, and nothing that somebody writes meanwhile', () =>
      using(async (kit) => {
        if (!kit.purge) return
        const store = kit.of('a')
        const brief = {
          ...STORE,
          ttlRules: [{ when: [{ field: 'stage', op: 'eq', value: 'lost' }], ttl: 0.001 }],
        } as const
        const ids = Array.from({ length: 200 }, (_, n) => `d${n}`)
        for (const round of [1, 2])
          value(
            await store.write(
              brief,
              ids.map((id) => deal(id, round, { stage: 'lost' })),
              { atomic: true },
              signal,
            ),
          )
        // A millisecond is longer than a quick store takes for ten rounds.
        await expect
          .poll(async () =>
            value(await store.query(brief, { ...all, limit: 1_000 }, signal)).documents.filter(
              ({ stale }) => !stale,
            ),
          )
          .toEqual([])
        const renewed = ids.filter((_, n) => n % 2 === 0)
        const [gone] = await Promise.all([
          (async () => {
            let sum = 0
            for (let round = 0; round < 10; round += 1) sum += (await kit.purge?.()) ?? 0
            return sum
          })(),
          ...Array.from({ length: 10 }, async (_, n) => {
            for (const id of renewed.slice(n * 10, n * 10 + 10))
              value(await store.write(brief, [deal(id, 3)], { atomic: true }, signal))
          }),
        ])
        expect(gone).toBeGreaterThanOrEqual(100)
        expect(
          value(await store.query(brief, { ...all, limit: 1_000 }, signal)).documents.map(
            ({ key, payload }) => [key, payload['amount']],
          ),
        ).toEqual(renewed.sort().map((id) => [id, 3]))
        expect(
          value(
            await store.query(
              brief,
              { ...all, filters: [{ field: 'amount', op: 'lt', value: 3 }] },
              signal,
            ),
          ).total,
        ).toBe(0)
        expect(value(await store.history(brief, 'd1', signal))).toEqual([])
      }))

    it('takes an empty batch', () =>
      using(async (kit) => {
        expect(value(await kit.of('a').write(STORE, [], { atomic: true }, signal))).toEqual([])
      }))

    it('refuses a write over what somebody else wrote', () =>
      using(async (kit) => {
        const store = kit.of('a')
        value(await store.write(STORE, [deal('d1', 1)], { atomic: true }, signal))
        const tries = await Promise.all(
          Array.from({ length: 5 }, (_, n) =>
            store.write(STORE, [{ ...deal('d1', n), ifVersion: 1 }], { atomic: true }, signal),
          ),
        )
        expect(tries.filter((result) => value(result)[0]?.stored === true)).toHaveLength(1)
        expect(value(await store.get(STORE, 'd1', signal))?.version).toBe(2)
      }))

    it('writes the same call once', () =>
      using(async (kit) => {
        const store = kit.of('a')
        const tries = await Promise.all(
          [1, 2, 3].map(() =>
            store.write(STORE, [deal('d1', 1)], { atomic: true, callKey: 'run:call' }, signal),
          ),
        )
        for (const one of tries)
          expect(value(one)).toEqual([{ key: 'd1', stored: true, version: 1 }])
        expect(value(await store.get(STORE, 'd1', signal))?.version).toBe(1)
        const write = (amount: number, asked: string) =>
          store.write(
            STORE,
            [deal('d2', amount)],
            { atomic: true, callKey: 'api:call', asked },
            signal,
          )
        value(await write(1, 'one'))
        expect(await write(2, 'other')).toMatchObject({
          ok: false,
          error: { code: 'MESSAGE_CONFLICT' },
        })
        expect(value(await write(1, 'one'))).toMatchObject([{ version: 1 }])
        expect(value(await store.remove(STORE, 'd1', { callKey: 'run:remove' }, signal))).toBe(true)
        expect(value(await store.remove(STORE, 'd1', { callKey: 'run:remove' }, signal))).toBe(true)
        expect(value(await store.remove(STORE, 'd1', {}, signal))).toBe(false)
      }))

    it('writes an atomic batch as a whole or not at all, any other one by one', () =>
      using(async (kit) => {
        const store = kit.of('a')
        const writes = [
          { ...deal('d1', 1), ifVersion: 0 },
          { ...deal('d2', 2), ifVersion: 7 },
        ]
        expect(
          value(await store.write(STORE, writes, { atomic: true }, signal)).map(
            ({ stored }) => stored,
          ),
        ).toEqual([false, false])
        expect(value(await store.count(STORE, signal))).toBe(0)
        expect(
          value(await store.write(STORE, writes, { atomic: false }, signal)).map(
            ({ stored }) => stored,
          ),
        ).toEqual([true, false])
        expect(value(await store.count(STORE, signal))).toBe(1)
      }))

    it('shows a tenant its own documents only', () =>
      using(async (kit) => {
        value(
          await kit
            .of('a')
            .write(STORE, [deal('d1', 1)], { atomic: true, callKey: 'same' }, signal),
        )
        value(
          await kit
            .of('b')
            .write(STORE, [deal('d1', 2)], { atomic: true, callKey: 'same' }, signal),
        )
        expect(value(await kit.of('a').get(STORE, 'd1', signal))?.payload['amount']).toBe(1)
        expect(value(await kit.of('b').get(STORE, 'd1', signal))?.payload['amount']).toBe(2)
        expect(value(await kit.of('c').query(STORE, all, signal)).total).toBe(0)
      }))

    it('keeps texts as they are, quotes and all', () =>
      using(async (kit) => {
        const store = kit.of('a')
        const odd = `'; drop table x; -- "quoted" ünïcödé 漢字 🎉 \\ \n`
        value(
          await store.write(
            STORE,
            [{ key: odd, payload: { id: odd, amount: 0.1, stage: 'new' } }],
            { atomic: true },
            signal,
          ),
        )
        expect(value(await store.get(STORE, odd, signal))?.payload).toEqual({
          id: odd,
          amount: 0.1,
          stage: 'new',
        })
        expect(
          value(
            await store.query(
              STORE,
              { ...all, filters: [{ field: 'id', op: 'eq', value: odd }] },
              signal,
            ),
          ).total,
        ).toBe(1)
      }))

    it('answers an aborted request with a value', () =>
      using(async (kit) => {
        expect((await kit.of('a').get(STORE, 'd1', AbortSignal.abort())).ok).toBe(false)
      }))
  })
}
