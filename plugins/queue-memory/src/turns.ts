import type { Want } from '@amodal/sdk/queue'
import { scoped, type StoredJob } from './stored-job.ts'

/** Names that are remembered; beyond them everybody starts anew. */
const MOST = 10_000

/** Whose turn it is: tenants share a queue, and the lanes of a tenant share its turns. */
export class Turns {
  /** When a tenant or a lane was served last, by claims. */
  readonly #served = new Map<string, number>()
  #claims = 0

  /**
   * Picks the next jobs of a queue: of the tenant with the fewest active ones, of it the highest
   * priority, then of the lane with the fewest active ones. Those that are even take turns.
   *
   * @param ready what may begin, the highest priority first
   * @param active jobs of the queue that run
   */
  pick(
    ready: readonly StoredJob[],
    active: readonly StoredJob[],
    { limit, perTenant = Infinity, perLane }: Want,
  ): readonly StoredJob[] {
    const busy = new Map<string, number>()
    const busyIn = (name: string): number => busy.get(name) ?? 0
    const count = (stored: StoredJob): void => {
      for (const name of [tenantOf(stored), laneOf(stored)]) busy.set(name, busyIn(name) + 1)
    }
    for (const stored of active) count(stored)
    const isFree = (stored: StoredJob): boolean =>
      busyIn(tenantOf(stored)) < perTenant &&
      busyIn(laneOf(stored)) < (perLane[stored.job.lane] ?? Infinity)
    const order = (a: StoredJob, b: StoredJob): number =>
      busyIn(tenantOf(a)) - busyIn(tenantOf(b)) ||
      this.#lastOf(tenantOf(a)) - this.#lastOf(tenantOf(b)) ||
      b.job.priority - a.job.priority ||
      busyIn(laneOf(a)) - busyIn(laneOf(b)) ||
      this.#lastOf(laneOf(a)) - this.#lastOf(laneOf(b)) ||
      a.n - b.n
    const lanes = [...Map.groupBy(ready, laneOf).values()]
    const picked: StoredJob[] = []
    while (picked.length < limit) {
      const [next] = lanes
        .flatMap(([first]) => first ?? [])
        .filter(isFree)
        .sort(order)
      if (!next) break
      lanes.find(([first]) => first === next)?.shift()
      count(next)
      this.#serve(next)
      picked.push(next)
    }
    return picked
  }

  #lastOf(name: string): number {
    return this.#served.get(name) ?? 0
  }

  #serve(stored: StoredJob): void {
    if (this.#served.size >= MOST) this.#served.clear()
    this.#claims++
    for (const name of [tenantOf(stored), laneOf(stored)]) this.#served.set(name, this.#claims)
  }
}

const tenantOf = ({ job }: StoredJob): string => scoped(job, '')
const laneOf = ({ job }: StoredJob): string => scoped(job, `lane ${job.lane}`)
