import { performance } from 'node:perf_hooks'
import { expect } from 'vitest'
import { DONE, held, recording, eventually, type QueueTest } from './subject.ts'

/** What a job takes to begin where nothing is in its way; polling alone would take a second. */
const BEGINS_MS = 200
/** How much longer it may take on a machine that is busy. */
const BUSY = 3

export function workTests(test: QueueTest): void {
  test('a job begins at once, also one that another instance has published', async (bench) => {
    const began = new Map<string, number>()
    bench.work((job) => {
      began.set(job.id, performance.now())
      return Promise.resolve(DONE)
    })
    await bench.publish([{}])
    await eventually(() => expect(began.size).toBe(1))
    for (const by of [bench.queue, bench.peer]) {
      const waits: number[] = []
      for (let n = 0; n < 20; n++) {
        const published = performance.now()
        const [job] = await bench.publish([{}], by)
        await eventually(() => expect(began.has(job?.id ?? '')).toBe(true))
        waits.push((began.get(job?.id ?? '') ?? Number.NaN) - published)
      }
      waits.sort((a, b) => a - b)
      const [middle = Number.NaN, longest = Number.NaN] = [waits[10], waits.at(-1)]
      process.stdout.write(
        `a job of ${by === bench.queue ? 'this' : 'another'} instance begins after ${middle.toFixed(1)} ms (longest ${longest.toFixed(1)} ms)\n`,
      )
      expect(middle).toBeLessThan(BEGINS_MS * BUSY)
    }
  })

  test('as many at the same time as its worker takes, and every job once', async (bench) => {
    const ran = new Map<string, number>()
    let running = 0
    let most = 0
    const handler = async (): Promise<typeof DONE> => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running--
      return DONE
    }
    bench.work(
      (job) => {
        ran.set(job.id, (ran.get(job.id) ?? 0) + 1)
        return handler()
      },
      { concurrency: 4 },
    )
    await bench.publish(Array.from({ length: 100 }, () => ({})))
    await eventually(async () =>
      expect(await bench.counts()).toEqual({ waiting: 0, delayed: 0, active: 0, dead: 0 }),
    )
    expect(most).toBe(4)
    expect([...ran.values()]).toEqual(Array.from({ length: 100 }, () => 1))
  })

  test('the highest priority begins first; equal ones as they were published', async (bench) => {
    const handler = recording(DONE)
    await bench.publish([0, 5, -1, 5, 0].map((priority, n) => ({ priority, data: { n } })))
    bench.work(handler)
    await eventually(() => expect(handler.jobs).toHaveLength(5))
    expect(handler.jobs.map(({ data }) => data['n'])).toEqual([1, 3, 0, 4, 2])
  })

  test('a delayed job does not begin before its time', async (bench) => {
    const handler = recording(DONE)
    bench.work(handler)
    const hour = 3_600_000
    await bench.publish([
      { at: bench.clock.now() + hour, data: { n: 'later' } },
      { at: bench.clock.now() + 300, data: { n: 'soon' } },
      { data: { n: 'now' } },
    ])
    await eventually(() => expect(handler.jobs).toHaveLength(2))
    expect(handler.jobs.map(({ data }) => data['n'])).toEqual(['now', 'soon'])
    expect(await bench.counts()).toMatchObject({ delayed: 1 })
    bench.clock.advance(hour)
    await eventually(() => expect(handler.jobs).toHaveLength(3))
  })

  test('an attempt that takes too long is aborted, and counts', async (bench) => {
    const { handler, signals, jobs } = held()
    bench.work(async (job, signal) => {
      await handler(job, signal)
      throw new Error('aborted')
    })
    await bench.publish([{ attemptMs: 50, retries: { limit: 1, delayMs: 0 } }])
    await eventually(async () => expect((await bench.counts()).dead).toBe(1))
    expect(signals.map(({ reason }) => reason as unknown)).toEqual(['timeout', 'timeout'])
    expect(jobs.map(({ attempt, last, reason }) => ({ attempt, last, reason }))).toEqual([
      { attempt: 1, last: false, reason: undefined },
      { attempt: 2, last: true, reason: 'it took longer than 50 ms' },
    ])
  })

  test('a job is dead at its deadline, whether it runs or waits', async (bench) => {
    const { handler, signals } = held()
    bench.work(async (job, signal) => {
      await handler(job, signal)
      throw new Error('aborted')
    })
    const deadline = bench.clock.now() + 3_600_000
    await bench.publish([{ deadline }])
    await eventually(() => expect(signals).toHaveLength(1))
    await bench.publish([{ deadline }])
    bench.clock.advance(3_600_000)
    await eventually(async () => expect((await bench.counts()).dead).toBe(2))
    expect(signals).toHaveLength(1)
    expect(signals[0]?.reason).toBe('timeout')
  })

  test('a second worker of a queue is refused', async (bench) => {
    bench.work(recording(DONE))
    const second = bench.queue.work({
      queue: bench.name,
      concurrency: 1,
      handler: recording(DONE),
    })
    expect(second).toMatchObject({ ok: false, error: { code: 'VALIDATION_ERROR' } })
    const mine = bench.queue.workers().find(({ queue }) => queue === bench.name)
    expect(mine).toEqual({ queue: bench.name, takes: true, concurrency: 1, active: 0 })
    await Promise.resolve()
  })
}
