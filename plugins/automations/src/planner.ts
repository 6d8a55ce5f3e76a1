import {
  hashOf,
  ok,
  type Clock,
  type Failure,
  type Logger,
  type Result,
  type TenantId,
} from '@amodal/sdk'
import type { Automation } from './definition.ts'
import { isInOrder, type NewRun } from './run.ts'
import { parseSchedule, type Schedule } from './schedule.ts'
import type { AutomationStore, Rule } from './store.ts'

export interface PlannerParts {
  readonly store: AutomationStore
  readonly clock: Clock
  readonly log: Logger
  readonly tenants: readonly TenantId[]
  /** ms after which a due time counts as missed. */
  readonly graceMs: number
  /** Told of schedules that are in force now. */
  readonly scheduled: (tenant: TenantId, automation: string, intervalMs: number) => void
}

/** ms between two looks at the clock: it may be turned, and timers cannot be set for a year. */
const MOST_SLEEP_MS = 15_000
/** Due times that are caught up with `catchUp: all`. */
const MOST_CAUGHT_UP = 1_000

interface Planned {
  readonly tenant: TenantId
  readonly automation: Automation
  readonly hash: string
  readonly schedule: Schedule
  /** Due times up to here are settled. */
  cursor: number
  /** The next one; `undefined` where none comes. */
  next: number | undefined
}

/**
 * Keeps a run for each due time. Every instance does so for itself: the row of the run says whose
 * was first, so none has to lead, and none has to be alive but one.
 */
export class Planner {
  readonly #parts: PlannerParts
  #planned: readonly Planned[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #running = false
  /** What is in progress, so that two do not overlap. */
  #work: Promise<unknown> = Promise.resolve()

  constructor(parts: PlannerParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running = true
    this.#arm()
  }

  async stop(): Promise<void> {
    this.#running = false
    clearTimeout(this.#timer)
    await this.#work.catch(() => undefined)
  }

  /** Takes over the schedules of the agent's files. */
  replan(automations: readonly Automation[]): Promise<Result<void, Failure>> {
    return this.#after(async () => {
      const { store, clock, tenants } = this.#parts
      const planned: Planned[] = []
      for (const tenant of tenants) {
        const drafts = automations.map((one) => ({ automation: one.name, hash: ruleHash(one) }))
        const done = await store.reconcile(tenant, drafts, clock.now())
        if (!done.ok) return done
        const rules = await store.rules(tenant)
        if (!rules.ok) return rules
        planned.push(...automations.flatMap((one) => planOf(tenant, one, rules.value) ?? []))
      }
      this.#planned = planned
      for (const one of planned) this.#announce(one)
      this.#arm()
      return ok(undefined)
    })
  }

  /** Keeps runs of all due times that have come by now. */
  tick(): Promise<void> {
    return this.#after(async () => {
      const now = this.#parts.clock.now()
      for (const one of this.#planned) {
        // After a clock that was turned back nothing is due until it is past the cursor again.
        one.next ??= one.schedule.next(one.cursor)
        if (one.next !== undefined && one.next <= now) await this.#fire(one, now)
      }
    })
  }

  /** The next due time, by automation, in the order of the files. */
  nextOf(tenant: TenantId, automation: string): number | undefined {
    const one = this.#planned.find(
      (planned) => planned.tenant === tenant && planned.automation.name === automation,
    )
    return one?.schedule.next(Math.max(one.cursor, this.#parts.clock.now()))
  }

  /** Says that a schedule is in force. */
  tellStarted(tenant: TenantId, automation: string): void {
    const one = this.#planned.find(
      (planned) => planned.tenant === tenant && planned.automation.name === automation,
    )
    if (one) this.#announce(one)
  }

  async #fire(one: Planned, now: number): Promise<void> {
    const { store, log } = this.#parts
    const { tenant, automation, hash } = one
    const due = dueTimes(one, now, this.#parts.graceMs)
    const done = await store.fire(
      {
        tenant,
        automation: automation.name,
        hash,
        cursor: now,
        runs: due.map((at) => cronRun(tenant, automation, at)),
      },
      now,
    )
    if (!done.ok) {
      // Its cursor stands where it was: the next look tries again.
      log.warn('automations.not_kept', { automation: automation.name, code: done.error.code })
      return
    }
    one.cursor = done.value.kind === 'fired' ? done.value.cursor : now
    one.next = one.schedule.next(one.cursor)
    if (done.value.kind === 'refused')
      log.info('automations.not_due', { automation: automation.name, why: done.value.why })
  }

  #announce({ tenant, automation, schedule, cursor }: Planned): void {
    const first = schedule.next(cursor)
    const second = first === undefined ? undefined : schedule.next(first)
    if (first !== undefined && second !== undefined)
      this.#parts.scheduled(tenant, automation.name, second - first)
  }

  #arm(): void {
    clearTimeout(this.#timer)
    if (!this.#running) return
    const now = this.#parts.clock.now()
    const next = this.#planned.map(
      (one) => (one.next ??= one.schedule.next(one.cursor)) ?? Infinity,
    )
    const wait = Math.min(MOST_SLEEP_MS, ...next.map((at) => Math.max(0, at - now)))
    this.#timer = setTimeout(
      () => void this.#look(),
      this.#planned.length === 0 ? MOST_SLEEP_MS : wait,
    )
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    await this.tick()
    // A store that fails is not asked in a circle.
    if (this.#running) {
      this.#timer = setTimeout(() => this.#arm(), 50)
      this.#timer.unref()
    }
  }

  #after<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#work.then(work, work)
    this.#work = next
    return next
  }
}

/** A schedule that stays the same keeps its place in time, whatever else of its file changes. */
export const ruleHash = ({ schedule, timezone }: Automation): string | undefined =>
  schedule === undefined ? undefined : hashOf({ schedule, timezone })

/** The run of a due time. */
export const cronRun = (tenant: TenantId, automation: Automation, at: number): NewRun => ({
  tenant,
  automation: automation.name,
  occurrence: `due:${new Date(at).toISOString()}`,
  source: 'cron',
  due: at,
  inOrder: isInOrder(automation),
})

function planOf(
  tenant: TenantId,
  automation: Automation,
  rules: readonly Rule[],
): Planned | undefined {
  const { schedule, timezone, name } = automation
  const hash = ruleHash(automation)
  const rule = rules.find((one) => one.automation === name)
  const parsed = schedule === undefined ? undefined : parseSchedule(schedule, timezone)
  if (!rule || hash === undefined || !parsed?.ok) return undefined
  return { tenant, automation, hash, schedule: parsed.value, cursor: rule.cursor, next: undefined }
}

/** Which of the due times run: those that have just come, and missed ones as the file says. */
export function dueTimes(
  {
    schedule,
    cursor,
    automation: { catchUp },
  }: Pick<Planned, 'schedule' | 'cursor' | 'automation'>,
  now: number,
  graceMs: number,
): readonly number[] {
  const all = schedule.between(cursor, now, MOST_CAUGHT_UP)
  if (catchUp === 'all') return all
  const onTime = all.filter((at) => now - at <= graceMs)
  return catchUp === 'none' || onTime.length > 0 ? onTime : all.slice(-1)
}
