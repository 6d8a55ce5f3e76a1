import { expect } from 'vitest'
import { DONE, held, recording, retry, eventually, type QueueTest } from './subject.ts'

export function groupTests(test: QueueTest): void {
  test('jobs of a group run one at a time, in order, on all instances together', async (bench) => {
    const order = new Map<string, number[]>()
    const running = new Map<string, number>()
    let overlaps = 0
    const handler = async (job: { readonly group?: string; readonly data: object }) => {
      const { group = '' } = job
      const now = (running.get(group) ?? 0) + 1
      running.set(group, now)
      if (now > 1) overlaps++
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5))
      order.set(group, [...(order.get(group) ?? []), Number(Object.values(job.data)[0])])
      running.set(group, (running.get(group) ?? 1) - 1)
      return DONE
    }
    bench.work(handler, { concurrency: 5 })
    if (bench.peer !== bench.queue) bench.work(handler, { concurrency: 5, by: bench.peer })
    for (let n = 0; n < 15; n++)
      await bench.publish(
        ['a', 'b', 'c', 'd'].map((group) => ({ group, data: { n }, priority: n })),
        n % 2 > 0 ? bench.peer : bench.queue,
      )
    await eventually(() => expect([...order.values()].flat()).toHaveLength(60))
    expect(overlaps).toBe(0)
    for (const group of ['a', 'b', 'c', 'd'])
      expect(order.get(group)).toEqual(Array.from({ length: 15 }, (_, n) => n))
  })

  test('a job that is tried again holds up its group, and no other', async (bench) => {
    const handler = recording()
    bench.work((job, signal) =>
      job.data['n'] === 1 && job.attempt === 1
        ? handler(job, signal).then(() => retry('later', { afterMs: 3_600_000 }))
        : handler(job, signal),
    )
    await bench.publish([
      { group: 'a', data: { n: 1 } },
      { group: 'a', data: { n: 2 } },
      { group: 'b', data: { n: 3 } },
    ])
    await eventually(() => expect(handler.jobs).toHaveLength(2))
    expect(handler.jobs.map(({ data }) => data['n'])).toEqual([1, 3])
    await eventually(async () =>
      expect(await bench.counts()).toMatchObject({ waiting: 1, delayed: 1, active: 0 }),
    )
    bench.clock.advance(3_600_000)
    await eventually(() => expect(handler.jobs).toHaveLength(4))
    expect(handler.jobs.map(({ data }) => data['n'])).toEqual([1, 3, 1, 2])
  })

  test('a dead or cancelled job holds up nothing', async (bench) => {
    const handler = recording({ kind: 'dead', reason: 'gone' }, DONE)
    const { handler: hold, jobs } = held()
    bench.work((job, signal) => (job.data['hold'] === true ? hold : handler)(job, signal))
    await bench.publish([{ group: 'a' }, { group: 'a', data: { n: 2 } }])
    await eventually(() => expect(handler.jobs).toHaveLength(2))
    const [first] = await bench.publish([{ group: 'a', data: { hold: true } }, { group: 'a' }])
    await eventually(() => expect(jobs).toHaveLength(1))
    await bench.queue.cancel(bench.name, first?.id ?? '', bench.signal)
    await eventually(() => expect(handler.jobs).toHaveLength(3))
  })
}
