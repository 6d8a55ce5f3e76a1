import { performance } from 'node:perf_hooks'
import { expect } from 'vitest'
import { DONE, held, recording, eventually, type QueueTest } from './subject.ts'

/** ms that a takeover may take beyond the lease, on a machine that is busy. */
const TAKEOVER_MS = 22_000

export function lostWorkerTests(test: QueueTest): void {
  test('a job that takes longer than a lease is run by nobody else meanwhile', async (bench, under) => {
    const { handler, jobs, signals, release } = held()
    bench.work(handler)
    const others = recording(DONE)
    if (under.peer !== under.queue) bench.work(others, { by: bench.peer })
    await bench.publish([{}])
    await eventually(() => expect(jobs.length + others.jobs.length).toBe(1))
    await new Promise((resolve) => setTimeout(resolve, 2.5 * (under.leaseMs ?? 100)))
    expect(jobs.length + others.jobs.length).toBe(1)
    expect(signals.some(({ aborted }) => aborted)).toBe(false)
    release()
    await eventually(async () => expect((await bench.counts()).active).toBe(0))
    expect(jobs.length + others.jobs.length).toBe(1)
  })

  test('the job of a worker that was killed is taken over', async (bench, under) => {
    // Jobs that end with their process are lost with it, and there is nothing to take over.
    const doomed = await under.doomed?.(bench.name)
    if (!doomed) return
    const [job] = await bench.publish([{ retries: { limit: 0 } }])
    await doomed.began
    expect(await bench.counts()).toMatchObject({ active: 1 })
    const handler = recording(DONE)
    bench.work(handler)
    const killed = performance.now()
    await doomed.kill()
    await eventually(() => expect(handler.jobs).toHaveLength(1))
    const took = performance.now() - killed
    process.stdout.write(
      `taken over ${(took / 1_000).toFixed(1)} s after a kill, with a lease of ${under.leaseMs} ms\n`,
    )
    expect(took).toBeLessThan((under.leaseMs ?? 0) + TAKEOVER_MS)
    expect(handler.jobs[0]).toMatchObject({
      id: job?.id,
      attempt: 1,
      reason: 'its worker was lost',
    })
  })

  test('a job that loses one worker after the other is dead', async (bench, under) => {
    const doomed = await under.doomed?.(bench.name)
    if (!doomed) return
    await bench.publish([{ retries: { lostWorkers: 0 } }])
    await doomed.began
    const handler = recording(DONE)
    bench.work(handler)
    await doomed.kill()
    await eventually(async () => expect((await bench.counts()).dead).toBe(1))
    expect(handler.jobs).toEqual([])
  })
}
