import { performance } from 'node:perf_hooks'
import { expect } from 'vitest'
import { DONE, held, recording, eventually, type QueueTest } from './subject.ts'

export function stoppingTests(test: QueueTest): void {
  test('a worker that stops tells its handlers, waits for them and takes no more', async (bench) => {
    const { handler, signals, jobs } = held()
    const worker = bench.work(handler)
    const [first] = await bench.publish([{ retries: { limit: 0 } }, {}])
    await eventually(() => expect(jobs).toHaveLength(1))
    await worker.stop(10_000)
    expect(signals[0]?.reason).toBe('stopping')
    expect(jobs).toHaveLength(1)
    expect(await bench.counts()).toEqual({ waiting: 2, delayed: 0, active: 0, dead: 0 })
    const next = recording(DONE)
    bench.work(next, { by: bench.peer })
    await eventually(() => expect(next.jobs).toHaveLength(2))
    expect(next.jobs[0]).toMatchObject({ id: first?.id, attempt: 1 })
  })

  test('what does not stop in time is handed over at once', async (bench) => {
    const { promise: never, resolve: end } = Promise.withResolvers<typeof DONE>()
    let began = 0
    const worker = bench.work(() => {
      began++
      return never
    })
    await bench.publish([{}])
    await eventually(() => expect(began).toBe(1))
    const stopped = performance.now()
    await worker.stop(50)
    const next = held()
    bench.work(next.handler, { by: bench.peer })
    await eventually(() => expect(next.jobs).toHaveLength(1))
    const took = performance.now() - stopped
    process.stdout.write(`handed over after ${took.toFixed(0)} ms\n`)
    end(DONE) // the handler that was left behind has no say any more
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await bench.counts()).toMatchObject({ active: 1 })
    next.release()
    await eventually(async () => expect((await bench.counts()).active).toBe(0))
    expect(next.jobs).toHaveLength(1)
  })

  test('an attempt that fails because its worker stops costs nothing', async (bench) => {
    const { handler, jobs } = held()
    const worker = bench.work(async (job, signal) => {
      await handler(job, signal)
      throw new Error('aborted')
    })
    await bench.publish([{ retries: { limit: 0 } }])
    await eventually(() => expect(jobs).toHaveLength(1))
    await worker.stop(10_000)
    await worker.stop(10_000)
    expect(await bench.counts()).toMatchObject({ waiting: 1, dead: 0 })
  })
}
