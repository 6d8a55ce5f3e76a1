import { expect, it } from 'vitest'
import { ALL, deal, STORE, value, type StoreBench } from './subject.ts'

/** Writing and removing documents. */
export function writeTests({ signal, using }: StoreBench): void {
  it('loses no update and no version: 50 writers on one key', () =>
    using(async (kit) => {
      const store = kit.of('a')
      await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          store.write(STORE, [deal('d1', n)], { atomic: true }, signal),
        ),
      )
      expect(value(await store.get(STORE, 'd1', signal))?.version).toBe(50)
      expect(value(await store.history(STORE, 'd1', signal)).map(({ version }) => version)).toEqual(
        [49, 48],
      )
    }))

  it('writes batches that overlap side by side', () =>
    using(async (kit) => {
      const store = kit.of('a')
      const ids = ['d1', 'd2', 'd3', 'd4', 'd5']
      const order = (n: number): readonly string[] => [...ids.slice(n % 5), ...ids.slice(0, n % 5)]
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
      for (const one of tries) expect(value(one)).toEqual([{ key: 'd1', stored: true, version: 1 }])
      expect(value(await store.get(STORE, 'd1', signal))?.version).toBe(1)
      const write = (amount: number, requestDigest: string) =>
        store.write(
          STORE,
          [deal('d2', amount)],
          { atomic: true, callKey: 'api:call', requestDigest },
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
        await kit.of('a').write(STORE, [deal('d1', 1)], { atomic: true, callKey: 'same' }, signal),
      )
      value(
        await kit.of('b').write(STORE, [deal('d1', 2)], { atomic: true, callKey: 'same' }, signal),
      )
      expect(value(await kit.of('a').get(STORE, 'd1', signal))?.payload['amount']).toBe(1)
      expect(value(await kit.of('b').get(STORE, 'd1', signal))?.payload['amount']).toBe(2)
      expect(value(await kit.of('c').query(STORE, ALL, signal)).total).toBe(0)
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
            { ...ALL, filters: [{ field: 'id', op: 'eq', value: odd }] },
            signal,
          ),
        ).total,
      ).toBe(1)
    }))

  it('answers an aborted request with a value', () =>
    using(async (kit) => {
      expect((await kit.of('a').get(STORE, 'd1', AbortSignal.abort())).ok).toBe(false)
    }))
}
