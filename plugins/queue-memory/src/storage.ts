import { randomUUID } from 'node:crypto'
import {
  err,
  failure,
  ok,
  type DeadPage,
  type JobCancel,
  type JobCounts,
  type PublishedJob,
} from '@amodal/sdk'
import type { CheckedJob, Claim, Claimed, QueueStorage, Settlement, Wake } from '@amodal/sdk/queue'
import { claimedOf, deadOf, isLive, scoped, storedJob, type StoredJob } from './stored-job.ts'
import { Turns } from './turns.ts'

/** Jobs of one process, which ends with them: no claim of it is ever lost. */
export class MemoryStorage implements QueueStorage {
  readonly leaseMs = Number.POSITIVE_INFINITY
  /** In the order in which they were published. */
  readonly #jobs = new Map<string, StoredJob>()
  readonly #keys = new Map<string, StoredJob>()
  readonly #wakes = new Set<(what: Wake) => void>()
  readonly #turns = new Turns()
  readonly #maxJobs: number
  #published = 0

  constructor(maxJobs: number) {
    this.#maxJobs = maxJobs
  }

  insert(jobs: readonly CheckedJob[], now: number): ReturnType<QueueStorage['insert']> {
    return Promise.resolve(
      this.#jobs.size + jobs.length > this.#maxJobs
        ? err(failure('QUEUE_FULL', `${this.#maxJobs} jobs are kept in memory at most`))
        : ok(jobs.map((job) => this.#insert(job, now))),
    )
  }

  claim({ wants, now }: Claim): ReturnType<QueueStorage['claim']> {
    const jobs: Claimed[] = []
    let nextDue: number | undefined
    for (const want of wants) {
      const { ready, active, nextDue: delayed } = this.#ready(want.queue, now)
      for (const stored of this.#turns.pick(ready, active, want)) {
        stored.state = 'active'
        stored.fence++
        jobs.push(claimedOf(stored))
      }
      nextDue = delayed === undefined ? nextDue : Math.min(nextDue ?? delayed, delayed)
    }
    return Promise.resolve(ok({ jobs, ...(nextDue !== undefined && { nextDue }) }))
  }

  beat(): ReturnType<QueueStorage['beat']> {
    const held = [...this.#jobs.values()].filter(({ state }) => state === 'active')
    return Promise.resolve(
      ok(
        held.map(({ id, job, fence, cancelling }) => ({ id, queue: job.queue, fence, cancelling })),
      ),
    )
  }

  settle(claim: Claimed, settlement: Settlement, now: number): ReturnType<QueueStorage['settle']> {
    const stored = this.#jobs.get(claim.id)
    if (stored?.state !== 'active' || stored.fence !== claim.fence)
      return Promise.resolve(ok(false))
    if (stored.cancelling) this.#end(stored, 'cancelled', now)
    else this.#settle(stored, settlement, now)
    return Promise.resolve(ok(true))
  }

  counts(queue: string | undefined, now: number): ReturnType<QueueStorage['counts']> {
    const counts = new Map<string, { -readonly [State in keyof JobCounts]: number }>()
    for (const stored of this.#jobs.values()) {
      const state = countedAs(stored, now)
      if (state === undefined || (queue !== undefined && stored.job.queue !== queue)) continue
      const of = counts.get(stored.job.queue) ?? { waiting: 0, delayed: 0, active: 0, dead: 0 }
      of[state]++
      counts.set(stored.job.queue, of)
    }
    return Promise.resolve(ok(counts))
  }

  overview(now: number): ReturnType<NonNullable<QueueStorage['overview']>> {
    const oldest = new Map<string, number>()
    for (const { state, due, job } of this.#jobs.values())
      if (state === 'open' && due <= now)
        oldest.set(job.queue, Math.min(oldest.get(job.queue) ?? due, due))
    return Promise.resolve(ok({ oldest, processes: 1 }))
  }

  dead(queue: string, { limit, after }: DeadPage): ReturnType<QueueStorage['dead']> {
    const dead = this.#dead(queue).sort((a, b) => b.endedAt - a.endedAt || b.n - a.n)
    const from = after === undefined ? 0 : dead.findIndex(({ id }) => id === after) + 1
    const page = dead.slice(from, from + limit)
    const last = page.at(-1)
    const more = last !== undefined && from + limit < dead.length
    return Promise.resolve(ok({ jobs: page.map(deadOf), ...(more && { next: last.id }) }))
  }

  redrive(
    queue: string,
    ids: readonly string[] | 'all',
    now: number,
  ): ReturnType<QueueStorage['redrive']> {
    const chosen = this.#dead(queue).filter(({ id }) => ids === 'all' || ids.includes(id))
    for (const stored of chosen)
      Object.assign(stored, { state: 'open', attempts: 0, due: now, deadline: undefined })
    return Promise.resolve(ok(chosen.length))
  }

  cancel(queue: string, id: string, now: number): ReturnType<QueueStorage['cancel']> {
    const stored = this.#jobs.get(id)
    return Promise.resolve(
      ok(stored?.job.queue === queue ? this.#cancel(stored, now) : ('unknown' as const)),
    )
  }

  prune(before: Parameters<QueueStorage['prune']>[0]): ReturnType<QueueStorage['prune']> {
    this.forget(before)
    return Promise.resolve(ok(undefined))
  }

  forget({ endedBefore, deadBefore }: Parameters<QueueStorage['prune']>[0]): void {
    for (const stored of this.#jobs.values()) {
      const before = stored.state === 'dead' ? deadBefore : endedBefore
      if (!isLive(stored) && stored.endedAt < before) this.#remove(stored)
    }
  }

  watch(wake: (what: Wake) => void): () => void {
    this.#wakes.add(wake)
    return () => this.#wakes.delete(wake)
  }

  close(): ReturnType<QueueStorage['close']> {
    return Promise.resolve(ok(undefined))
  }

  #insert(job: CheckedJob, now: number): PublishedJob {
    const key = job.key === undefined ? undefined : scoped(job, job.key)
    const known = key === undefined ? undefined : this.#keys.get(key)
    if (known) return { id: known.id, fresh: false }
    const stored = storedJob(randomUUID(), this.#published++, job, now)
    this.#jobs.set(stored.id, stored)
    if (key !== undefined) this.#keys.set(key, stored)
    return { id: stored.id, fresh: true }
  }

  /** What may begin, in order; what runs; and when the next one is due. */
  #ready(queue: string, now: number) {
    const groups = new Set<string>()
    const active: StoredJob[] = []
    const ready: StoredJob[] = []
    let next: number | undefined
    for (const stored of this.#jobs.values()) {
      if (stored.job.queue !== queue || !isLive(stored)) continue
      const { job, state, due } = stored
      const group = job.group === undefined ? undefined : scoped(job, job.group)
      const behind = group !== undefined && groups.has(group)
      if (group !== undefined) groups.add(group)
      if (state === 'active') active.push(stored)
      else if (due > now) next = Math.min(next ?? due, due)
      else if (!behind) ready.push(stored)
    }
    ready.sort((a, b) => b.job.priority - a.job.priority || a.n - b.n)
    return { ready, active, nextDue: next }
  }

  #settle(stored: StoredJob, settlement: Settlement, now: number): void {
    switch (settlement.to) {
      case 'done':
        return this.#end(stored, 'done', now)
      case 'dead':
        stored.attempts = settlement.attempts
        stored.reason = settlement.reason
        return this.#end(stored, 'dead', now)
      case 'again':
        stored.attempts = settlement.attempts
        stored.reason = settlement.reason
        stored.due = settlement.due
        stored.state = 'open'
        return
      default:
        settlement satisfies never
    }
  }

  #cancel(stored: StoredJob, now: number): JobCancel {
    if (!isLive(stored)) return 'ended'
    if (stored.state === 'open') {
      this.#end(stored, 'cancelled', now)
      return 'cancelled'
    }
    stored.cancelling = true
    for (const wake of this.#wakes) wake({ kind: 'cancelled' })
    return 'cancelling'
  }

  #end(stored: StoredJob, state: 'done' | 'dead' | 'cancelled', now: number): void {
    stored.state = state
    stored.endedAt = now
    if (state === 'done' && stored.job.key === undefined) this.#remove(stored)
  }

  #remove(stored: StoredJob): void {
    this.#jobs.delete(stored.id)
    if (stored.job.key !== undefined) this.#keys.delete(scoped(stored.job, stored.job.key))
  }

  #dead(queue: string): StoredJob[] {
    return [...this.#jobs.values()].filter(
      ({ state, job }) => state === 'dead' && job.queue === queue,
    )
  }
}

function countedAs({ state, due }: StoredJob, now: number): keyof JobCounts | undefined {
  if (state === 'open') return due > now ? 'delayed' : 'waiting'
  return state === 'active' || state === 'dead' ? state : undefined
}
