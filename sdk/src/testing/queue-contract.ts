import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { JobCounts, JobQueue, Worker } from '../ports/queue.ts'
import { endingTests } from './queue/endings.ts'
import { fairnessTests } from './queue/fairness.ts'
import { groupTests } from './queue/groups.ts'
import { lostWorkerTests } from './queue/lost-workers.ts'
import { publishingTests } from './queue/publishing.ts'
import { stoppingTests } from './queue/stopping.ts'
import { TEST_MS, value, type Bench, type QueueTest, type QueueUnderTest } from './queue/subject.ts'
import { workTests } from './queue/work.ts'

export {
  movableClock,
  type DoomedWorker,
  type MovableClock,
  type QueueUnderTest,
} from './queue/subject.ts'

const NOTHING: JobCounts = { waiting: 0, delayed: 0, active: 0, dead: 0 }

/**
 * The behaviour of every provider of the JobQueue slot: no job is lost, one worker at a time runs
 * it, and a failed one is retried or kept with its reason.
 *
 * @param make called once
 * @example
 * queueContract('queue-memory', {
 *   make: async () => {
 *     const clock = movableClock()
 *     const queue = memoryQueue(clock)
 *     return { queue, peer: queue, clock, close: () => queue.close() }
 *   },
 * })
 */
export function queueContract(
  name: string,
  { make }: { readonly make: () => Promise<QueueUnderTest> },
): void {
  describe(`${name} is a JobQueue`, () => {
    let subject: QueueUnderTest | undefined
    beforeAll(async () => {
      subject = await make()
    }, TEST_MS)
    afterAll(() => subject?.close(), TEST_MS)

    const test: QueueTest = (title, run) => {
      it(title, { timeout: TEST_MS }, async () => {
        if (!subject) throw new Error('the queue was not made')
        const workers: Worker[] = []
        try {
          await run(benchOf(subject, workers), subject)
        } finally {
          await Promise.all(workers.map((worker) => worker.stop(0)))
        }
      })
    }
    describe('publishing', () => publishingTests(test))
    describe('working', () => workTests(test))
    describe('groups', () => groupTests(test))
    describe('fairness', () => fairnessTests(test))
    describe('failures, dead letters, cancelling', () => endingTests(test))
    describe('stopping', () => stoppingTests(test))
    describe('workers that are lost', () => lostWorkerTests(test))
  })
}

function benchOf({ queue, peer, clock }: QueueUnderTest, workers: Worker[]): Bench {
  const name = `test-${randomUUID().slice(0, 8)}`
  const { signal } = new AbortController()
  return {
    queue,
    peer,
    clock,
    name,
    signal,
    async publish(jobs, by: JobQueue = queue) {
      const published = jobs.map((job) => ({ queue: name, data: {}, ...job }))
      return value(await by.publish(published, signal))
    },
    work(handler, { concurrency = 1, by = queue, ...limits } = {}) {
      const worker = value(by.work({ queue: name, concurrency, handler, ...limits }))
      workers.push(worker)
      return worker
    },
    async counts() {
      return value(await queue.counts(name, signal)).get(name) ?? NOTHING
    },
  }
}
