import { expect } from 'vitest'
import { tenantId } from '@amodal/kernel'
import { DONE, held, recording, value, eventually, type QueueTest } from './subject.ts'

export function publishingTests(test: QueueTest): void {
  test('a job is run once, with what it was published with', async (bench) => {
    const handler = recording(DONE)
    bench.work(handler)
    const data = { text: 'ä\u0000\n', list: [1, null, { deep: true }] }
    const [published] = await bench.publish([
      { data, key: 'k', group: 'g', priority: 3, tenant: tenantId('acme') },
    ])
    await eventually(() => expect(handler.jobs).toHaveLength(1))
    expect(handler.jobs[0]).toMatchObject({
      id: published?.id,
      queue: bench.name,
      data,
      key: 'k',
      group: 'g',
      priority: 3,
      tenant: 'acme',
      attempt: 1,
      last: false,
    })
    await eventually(async () => expect((await bench.counts()).active).toBe(0))
    expect(handler.jobs).toHaveLength(1)
  })

  test('of several jobs all are published, or none', async (bench) => {
    const good = { queue: bench.name, data: {} }
    for (const bad of [
      { ...good, queue: 'no queue' },
      { ...good, priority: 1.5 },
      { ...good, key: '' },
      { ...good, retries: { limit: -1 } },
      { ...good, data: { text: 'x'.repeat(70_000) } },
    ])
      expect(await bench.queue.publish([good, bad], bench.signal)).toMatchObject({
        ok: false,
        error: { code: 'VALIDATION_ERROR' },
      })
    expect(await bench.counts()).toMatchObject({ waiting: 0 })
    expect(value(await bench.queue.publish([], bench.signal))).toEqual([])
  })

  test('a key is published once, by however many at the same time', async (bench) => {
    const published = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        bench.publish([{ key: 'tick', data: { n } }], n % 2 > 0 ? bench.peer : bench.queue),
      ),
    )
    const jobs = published.flat()
    expect(jobs.filter(({ fresh }) => fresh)).toHaveLength(1)
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(1)
    expect(await bench.counts()).toMatchObject({ waiting: 1 })
  })

  test('a key counts after its job has ended, in its tenant', async (bench) => {
    const handler = recording(DONE)
    bench.work(handler)
    const [first] = await bench.publish([{ key: 'once' }])
    await eventually(() => expect(handler.jobs).toHaveLength(1))
    await eventually(async () => expect((await bench.counts()).active).toBe(0))
    expect(await bench.publish([{ key: 'once' }, { key: 'twice' }, { key: 'twice' }])).toEqual([
      { id: first?.id, fresh: false },
      { id: expect.any(String) as string, fresh: true },
      { id: expect.any(String) as string, fresh: false },
    ])
    const [other] = await bench.publish([{ key: 'once', tenant: tenantId('other') }])
    expect(other?.fresh).toBe(true)
    await eventually(() => expect(handler.jobs).toHaveLength(3))
  })

  test('counts say what waits, is delayed, runs and is dead', async (bench) => {
    const { handler, jobs } = held()
    bench.work((job, signal) =>
      job.data['die'] === true
        ? Promise.resolve({ kind: 'dead', reason: 'as asked' })
        : handler(job, signal),
    )
    await bench.publish([{ data: { die: true } }])
    await eventually(async () => expect((await bench.counts()).dead).toBe(1))
    await bench.publish([{}])
    await eventually(() => expect(jobs).toHaveLength(1))
    await bench.publish([{}, {}, { at: bench.clock.now() + 3_600_000 }])
    expect(await bench.counts()).toEqual({ waiting: 2, delayed: 1, active: 1, dead: 1 })
    const all = value(await bench.queue.counts(undefined, bench.signal))
    expect(all.get(bench.name)).toEqual(await bench.counts())
  })
}
