import { expect } from 'vitest'
import { DONE, held, recording, retry, value, eventually, type QueueTest } from './subject.ts'

export function endingTests(test: QueueTest): void {
  test('a failed job is tried again later and later, and is dead in the end', async (bench) => {
    const began: number[] = []
    const handler = recording(retry('first'), retry('second'), retry('third'))
    bench.work((job, signal) => {
      began.push(bench.clock.now())
      return handler(job, signal)
    })
    const retries = { limit: 2, delayMs: 60_000, maxDelayMs: 100_000 }
    const [job] = await bench.publish([{ retries, data: { n: 1 } }])
    for (let attempts = 1; attempts <= 2; attempts++) {
      await eventually(() => expect(began).toHaveLength(attempts))
      await eventually(async () => expect((await bench.counts()).delayed).toBe(1))
      bench.clock.advance(40_000)
      expect(began).toHaveLength(attempts) // a quarter less than the first delay at least
      bench.clock.advance(attempts === 1 ? 35_000 : 60_000)
    }
    await eventually(async () => expect((await bench.counts()).dead).toBe(1))
    expect(handler.jobs.map(({ attempt, last, reason }) => ({ attempt, last, reason }))).toEqual([
      { attempt: 1, last: false, reason: undefined },
      { attempt: 2, last: false, reason: 'first' },
      { attempt: 3, last: true, reason: 'second' },
    ])
    const dead = value(await bench.queue.dead(bench.name, { limit: 10 }, bench.signal))
    expect(dead).toEqual({
      jobs: [
        {
          id: job?.id,
          queue: bench.name,
          data: { n: 1 },
          attempts: 3,
          reason: 'third',
          publishedAt: expect.any(Number) as number,
          diedAt: expect.any(Number) as number,
        },
      ],
    })
  })

  test('an attempt that burns nothing does not count', async (bench) => {
    const free = retry('429', { afterMs: 0, burnsAttempt: false })
    const handler = recording(free, free, free, retry('failed', { afterMs: 0 }), DONE)
    bench.work(handler)
    await bench.publish([{ retries: { limit: 1 } }])
    await eventually(() => expect(handler.jobs).toHaveLength(5))
    expect(handler.jobs.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 2])
    await eventually(async () =>
      expect(await bench.counts()).toEqual({ waiting: 0, delayed: 0, active: 0, dead: 0 }),
    )
  })

  test('a handler that throws has failed', async (bench) => {
    bench.work(() => Promise.reject(new Error('no such report')))
    await bench.publish([{ retries: { limit: 0 } }])
    await eventually(async () => expect((await bench.counts()).dead).toBe(1))
    const dead = value(await bench.queue.dead(bench.name, { limit: 10 }, bench.signal))
    expect(dead.jobs[0]).toMatchObject({ reason: 'no such report', attempts: 1 })
  })

  test('dead letters are listed by page, and begin again', async (bench) => {
    let dies = true
    const handler = recording(DONE)
    bench.work((job, signal) =>
      dies ? Promise.resolve({ kind: 'dead', reason: 'x' }) : handler(job, signal),
    )
    const jobs = await bench.publish([1, 2, 3, 4, 5].map((n) => ({ data: { n } })))
    await eventually(async () => expect((await bench.counts()).dead).toBe(5))
    const seen: string[] = []
    for (let after: string | undefined, pages = 0; pages === 0 || after !== undefined; pages++) {
      const page = value(
        await bench.queue.dead(
          bench.name,
          { limit: 2, ...(after !== undefined && { after }) },
          bench.signal,
        ),
      )
      seen.push(...page.jobs.map(({ id }) => id))
      after = page.next
    }
    expect(new Set(seen)).toEqual(new Set(jobs.map(({ id }) => id)))
    expect(seen).toHaveLength(5)
    dies = false
    const one = jobs.slice(0, 1).map(({ id }) => id)
    const { queue, name, signal } = bench
    expect(value(await queue.redrive(name, one, signal))).toEqual({ redriven: 1 })
    await eventually(() => expect(handler.jobs).toHaveLength(1))
    expect(handler.jobs[0]).toMatchObject({ id: one[0], attempt: 1 })
    expect(value(await queue.redrive(name, 'all', signal))).toEqual({ redriven: 4 })
    await eventually(() => expect(handler.jobs).toHaveLength(5))
    expect(value(await queue.redrive(name, 'all', signal))).toEqual({ redriven: 0 })
  })

  test('a job that waits is cancelled, and never runs', async (bench) => {
    const { queue, name, signal } = bench
    const cancel = async (id = ''): Promise<string> => value(await queue.cancel(name, id, signal))
    const [first, second] = await bench.publish([{}, { at: bench.clock.now() + 3_600_000 }])
    expect(await cancel(first?.id)).toBe('cancelled')
    expect(await cancel(first?.id)).toBe('ended')
    expect(await cancel(second?.id)).toBe('cancelled')
    expect(await cancel('nobody')).toBe('unknown')
    expect(value(await queue.cancel('other', second?.id ?? '', signal))).toBe('unknown')
    const handler = recording(DONE)
    bench.work(handler)
    await bench.publish([{ data: { n: 3 } }])
    bench.clock.advance(3_600_000)
    await eventually(() => expect(handler.jobs).toHaveLength(1))
    expect(handler.jobs[0]?.data).toEqual({ n: 3 })
    expect(await bench.counts()).toMatchObject({ waiting: 0, delayed: 0, dead: 0 })
  })

  test('a job that runs is told that it is cancelled, and ends', async (bench) => {
    const { handler, signals, jobs } = held()
    bench.work(handler)
    const [job] = await bench.publish([{ key: 'k' }])
    await eventually(() => expect(signals).toHaveLength(1))
    expect(value(await bench.peer.cancel(bench.name, job?.id ?? '', bench.signal))).toBe(
      'cancelling',
    )
    await eventually(() => expect(signals[0]?.reason).toBe('cancelled'))
    await eventually(async () =>
      expect(await bench.counts()).toEqual({ waiting: 0, delayed: 0, active: 0, dead: 0 }),
    )
    expect(jobs).toHaveLength(1)
    expect(await bench.publish([{ key: 'k' }])).toEqual([{ id: job?.id, fresh: false }])
  })
}
