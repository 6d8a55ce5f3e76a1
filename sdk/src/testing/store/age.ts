import { expect, it } from 'vitest'
import type { StoreDefinition } from '../../index.ts'
import { ALL, deal, STORE, value, type StoreBench } from './subject.ts'

/** What a document carries about its age and origin, and how it expires. */
export function ageTests({ signal, using }: StoreBench): void {
  it('says when a document has grown old', () =>
    using(async (kit) => {
      const store = kit.of('a')
      const brief = { ...STORE, name: 'brief', ttl: 0.05 }
      value(await store.write(brief, [deal('d1', 1)], { atomic: true }, signal))
      const written = value(await store.get(brief, 'd1', signal))
      expect(Date.parse(written?.expiresAt ?? '') - Date.parse(written?.computedAt ?? '')).toBe(50)
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
          value(await store.query(brief, { ...ALL, limit: 1_000 }, signal)).documents.filter(
            ({ stale }) => !stale,
          ),
        )
        .toEqual([])
      const renewed = ids.filter((_, n) => n % 2 === 0)
      const [purged] = await Promise.all([
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
      expect(purged).toBeGreaterThanOrEqual(100)
      expect(
        value(await store.query(brief, { ...ALL, limit: 1_000 }, signal)).documents.map(
          ({ key, payload }) => [key, payload['amount']],
        ),
      ).toEqual(renewed.sort().map((id) => [id, 3]))
      expect(
        value(
          await store.query(
            brief,
            { ...ALL, filters: [{ field: 'amount', op: 'lt', value: 3 }] },
            signal,
          ),
        ).total,
      ).toBe(0)
      expect(value(await store.history(brief, 'd1', signal))).toEqual([])
    }))
}
