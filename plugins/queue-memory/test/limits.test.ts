import { explain, Health, JobQueue, Kernel, unwrap, use } from '@amodal/sdk'
import { movableClock } from '@amodal/sdk/testing'
import { expect, it, vi } from 'vitest'
import { queueMemory } from '../src/index.ts'
import { MemoryStorage } from '../src/storage.ts'

const { signal } = new AbortController()
const said = ({ message }: { readonly message: string }): string => message

it('keeps so many jobs at most', async () => {
  const kernel = unwrap(await Kernel.create([use(queueMemory, { maxJobs: 2 })]), explain)
  const queue = kernel.scope.get(JobQueue)
  const job = { queue: 'q', data: {} }
  expect(await queue.publish([job, job, job], signal)).toMatchObject({
    ok: false,
    error: { code: 'QUEUE_FULL' },
  })
  expect(await queue.publish([job, job], signal)).toMatchObject({ ok: true })
  await kernel.close()
})

it('takes jobs of the queues that it is told alone', async () => {
  const kernel = unwrap(await Kernel.create([use(queueMemory, { work: ['a'] })]), explain)
  const queue = kernel.scope.get(JobQueue)
  const ran: string[] = []
  for (const name of ['a', 'b'])
    unwrap(
      queue.work({
        queue: name,
        concurrency: 3,
        handler: ({ queue: of }) => {
          ran.push(of)
          return Promise.resolve({ kind: 'done' })
        },
      }),
      said,
    )
  expect(queue.workers().map(({ queue: name, takes }) => [name, takes])).toEqual([
    ['a', true],
    ['b', false],
  ])
  await queue.publish(
    [
      { queue: 'b', data: {} },
      { queue: 'a', data: {} },
    ],
    signal,
  )
  await vi.waitFor(() => expect(ran).toEqual(['a']))
  expect(await queue.counts('b', signal)).toMatchObject({
    ok: true,
    value: new Map([['b', { waiting: 1, delayed: 0, active: 0, dead: 0 }]]),
  })
  const fact = kernel.current().registry(Health).get('queue')?.()
  expect(fact).toEqual({ facts: { queue: { works: ['a'], dead: 0 } } })
  await kernel.close()
})

it('forgets jobs that ended, and their keys', async () => {
  const clock = movableClock()
  const storage = new MemoryStorage(10)
  const job = {
    queue: 'q',
    data: '{}',
    key: 'k',
    group: undefined,
    lane: '',
    due: 0,
    priority: 0,
    retries: { limit: 0, delayMs: 0, maxDelayMs: 0, lostWorkers: 0 },
    attemptMs: undefined,
    deadline: undefined,
    tenant: '',
    principal: undefined,
  }
  const publish = async (): Promise<boolean | undefined> =>
    unwrap(await storage.insert([job], clock.now()), said)[0]?.fresh
  expect(await publish()).toBe(true)
  const wants = [{ queue: 'q', limit: 1, perLane: {} }]
  const [claim] = unwrap(await storage.claim({ wants, now: clock.now() }), said).jobs
  if (!claim) throw new Error('nothing was claimed')
  expect(await storage.settle(claim, { to: 'done' }, clock.now())).toEqual({
    ok: true,
    value: true,
  })
  expect(await publish()).toBe(false)
  storage.forget({ endedBefore: clock.now() + 1, deadBefore: 0 })
  expect(await publish()).toBe(true)
})
