import { expect } from 'vitest'
import { tenantId } from '@amodal/kernel'
import type { Job, JobHandler, NewJob } from '../../ports/queue.ts'
import { DONE, eventually, held, recording, value, type Bench, type QueueTest } from './subject.ts'

const [busy, small] = [tenantId('busy'), tenantId('small')]
const many = (count: number, job: Partial<NewJob>): Partial<NewJob>[] =>
  Array.from({ length: count }, () => job)

/** Jobs that may begin before one whose turn it is: some were claimed already. */
const TURNS = 6

export function fairnessTests(test: QueueTest): void {
  test('a tenant with 1,000 jobs does not hold up a tenant with one', async (bench) => {
    const began: Job[] = []
    bench.work(slowly(began))
    await bench.publish(many(1_000, { tenant: busy }))
    await eventually(() => expect(began.length).toBeGreaterThan(3))
    const before = began.length
    await bench.publish([{ tenant: small }])
    const placed = await placeOf(began, ({ tenant }) => tenant === small)
    expect(placed - before).toBeLessThan(TURNS)
  })

  test('the tenant with the fewest active jobs is next', async (bench) => {
    const { handler, jobs } = held()
    await bench.publish(many(10, { tenant: busy }))
    bench.work(handler, { concurrency: 2 })
    await eventually(() => expect(jobs).toHaveLength(2))
    await bench.publish(many(2, { tenant: small }))
    const peers = held()
    // Where there is one instance alone, the tenant has its turn when a job ends.
    if (bench.peer === bench.queue) return
    bench.work(peers.handler, { concurrency: 3, by: bench.peer })
    await eventually(() => expect(peers.jobs).toHaveLength(3))
    expect(peers.jobs.map(({ tenant }) => tenant)).toEqual([small, small, busy])
  })

  test('a lane with many jobs does not hold up another lane of its tenant', async (bench) => {
    const began: string[] = []
    const jobs: Job[] = []
    const handler = slowly(jobs)
    bench.work((job, signal) => {
      began.push(job.data['lane'] as string)
      return handler(job, signal)
    })
    const inLane = (lane: string): Partial<NewJob> => ({ tenant: busy, lane, data: { lane } })
    await bench.publish([...many(200, inLane('a')), ...many(1, { tenant: small })])
    await eventually(() => expect(began.length).toBeGreaterThan(3))
    const before = began.length
    await bench.publish([inLane('b')])
    // Lanes that are even take turns by chance in some providers.
    const placed = await placeOf(jobs, ({ data }) => data['lane'] === 'b')
    expect(placed - before).toBeLessThan(40)
  })

  test('a tenant has so many active jobs at most, on all instances together', async (bench) => {
    const most = await mostAtOnce(bench, { perTenant: 2 }, [
      ...many(12, { tenant: busy, data: { of: 'busy' } }),
      ...many(3, { tenant: small, data: { of: 'small' } }),
    ])
    expect(most.get('busy')).toBe(2)
    expect(most.get('small')).toBeLessThanOrEqual(2)
  })

  test('a lane has so many active jobs at most, on all instances together', async (bench) => {
    const limits = { perLane: () => ({ narrow: 2 }) }
    const most = await mostAtOnce(bench, limits, [
      ...many(12, { lane: 'narrow', data: { of: 'narrow' } }),
      ...many(12, { lane: 'wide', data: { of: 'wide' } }),
    ])
    expect(most.get('narrow')).toBe(2)
    expect(most.get('wide')).toBeGreaterThan(2)
  })

  test('a job that fails, or is cancelled, gives back its place', async (bench) => {
    const { handler, jobs } = held()
    const failing = recording({ kind: 'dead', reason: 'as asked' })
    bench.work((job, signal) => (job.data['dies'] === true ? failing : handler)(job, signal), {
      concurrency: 4,
      perTenant: 1,
    })
    await bench.publish([{ data: { dies: true } }])
    const [stays] = await bench.publish([{}, { data: { dies: true } }])
    await eventually(() => expect(jobs).toHaveLength(1))
    expect(failing.jobs).toHaveLength(1)
    value(await bench.queue.cancel(bench.name, stays?.id ?? '', bench.signal))
    await eventually(() => expect(failing.jobs).toHaveLength(2))
  })

  test('a worker that was killed keeps no place', async (bench, under) => {
    const doomed = await under.doomed?.(bench.name)
    if (!doomed) return
    await bench.publish([{ tenant: busy, lane: 'narrow' }])
    await doomed.began
    const handler = recording(DONE)
    bench.work(handler, { concurrency: 3, perTenant: 1, perLane: () => ({ narrow: 1 }) })
    await bench.publish(many(2, { tenant: busy, lane: 'narrow' }))
    await bench.publish([{ tenant: small }])
    await eventually(() => expect(handler.jobs).toHaveLength(1))
    expect(handler.jobs[0]?.tenant).toBe(small)
    await doomed.kill()
    await eventually(() => expect(handler.jobs).toHaveLength(4))
  })

  test('limits are whole numbers from 1', async (bench) => {
    const handler = recording(DONE)
    expect(
      bench.queue.work({ queue: bench.name, concurrency: 1, perTenant: 0, handler }),
    ).toMatchObject({ ok: false, error: { code: 'VALIDATION_ERROR' } })
    expect(
      await bench.queue.publish([{ queue: bench.name, data: {}, lane: '' }], bench.signal),
    ).toMatchObject({ ok: false, error: { code: 'VALIDATION_ERROR' } })
  })
}

/** Takes a few ms for each job, so that others are published meanwhile. */
const slowly =
  (began: Job[]): JobHandler =>
  async (job) => {
    began.push(job)
    await new Promise((resolve) => setTimeout(resolve, 5))
    return DONE
  }

async function placeOf(began: readonly Job[], is: (job: Job) => boolean): Promise<number> {
  await eventually(() => expect(began.some(is)).toBe(true))
  return began.findIndex(is)
}

/** Runs all of them on both instances. @returns how many of each `of` ran at the same time */
async function mostAtOnce(
  bench: Bench,
  limits: Parameters<Bench['work']>[1],
  jobs: readonly Partial<NewJob>[],
): Promise<ReadonlyMap<string, number>> {
  const running = new Map<string, number>()
  const most = new Map<string, number>()
  const handler: JobHandler = async ({ data }) => {
    const of = data['of'] as string
    const now = (running.get(of) ?? 0) + 1
    running.set(of, now)
    most.set(of, Math.max(most.get(of) ?? 0, now))
    await new Promise((resolve) => setTimeout(resolve, 30))
    running.set(of, (running.get(of) ?? 1) - 1)
    return DONE
  }
  await bench.publish(jobs)
  bench.work(handler, { concurrency: 5, ...limits })
  if (bench.peer !== bench.queue) bench.work(handler, { concurrency: 5, ...limits, by: bench.peer })
  await eventually(async () =>
    expect(await bench.counts()).toEqual({ waiting: 0, delayed: 0, active: 0, dead: 0 }),
  )
  return most
}
