import { randomUUID } from 'node:crypto'
import {
  err,
  failure,
  ok,
  sleep,
  type Agent,
  type Clock,
  type Failure,
  type Result,
  type TenantId,
} from '@amodal/sdk'
import { type Automation, automationsOf } from './definition.ts'
import { AutomationPaused } from './errors.ts'
import type { Planner } from './planner.ts'
import { isInOrder, type DeliveryRow, type Run } from './run.ts'
import { parseSchedule } from './schedule.ts'
import { cronRun } from './planner.ts'
import type { AutomationStore, DeliveryPage } from './store.ts'

type Outcome<T> = Promise<Result<T, Failure>>

/** An automation as it is shown. */
export interface Shown {
  readonly automation: Automation
  readonly paused: boolean
  /** ms since the epoch. */
  readonly next?: number
  readonly last?: Run
}

export interface ServiceParts {
  readonly store: AutomationStore
  readonly planner: Planner
  readonly agent: Agent
  readonly clock: Clock
  /** Told of schedules that are paused and resumed. */
  readonly changed: (tenant: TenantId, automation: Automation, paused: boolean) => void
}

/** ms between two looks at a run that somebody waits for. */
const LOOK_MS = 250
/** Due times that one `backfill` makes runs of. */
const MOST_BACKFILLED = 500

/** What people do with automations, whether over HTTP or from the command line. */
export class AutomationService {
  readonly #parts: ServiceParts

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  find(name: string): Result<Automation, Failure> {
    const bundle = this.#parts.agent.bundle()
    const found = bundle && automationsOf(bundle).find((one) => one.name === name)
    return found ? ok(found) : err(failure('NOT_FOUND', 'there is no such automation'))
  }

  async list(tenant: TenantId): Outcome<readonly Shown[]> {
    const { store, agent } = this.#parts
    const bundle = agent.bundle()
    const rules = await store.rules(tenant)
    if (!rules.ok) return rules
    const runs = await store.lastRuns(tenant)
    if (!runs.ok) return runs
    const shown: Shown[] = []
    for (const automation of bundle ? automationsOf(bundle) : []) {
      const rule = rules.value.find((one) => one.automation === automation.name)
      const paused = rule?.paused ?? false
      const next = paused ? undefined : this.#parts.planner.nextOf(tenant, automation.name)
      const last = runs.value.find((run) => run.automation === automation.name)
      shown.push({ automation, paused, ...(next !== undefined && { next }), ...(last && { last }) })
    }
    return ok(shown)
  }

  /**
   * Until it is resumed, no due time and no event begins a run, and what is queued is skipped. A
   * run that is in progress goes on.
   */
  async pause(tenant: TenantId, name: string, paused: boolean): Outcome<Automation> {
    const { store, clock, changed } = this.#parts
    const found = this.find(name)
    if (!found.ok) return found
    const done = await store.setPaused(tenant, name, paused, clock.now())
    if (!done.ok) return done
    if (!done.value) return err(failure('NOT_FOUND', 'there is no such automation'))
    changed(tenant, found.value, paused)
    return found
  }

  /** @param key the same key again is the same run */
  async trigger(tenant: TenantId, name: string, key: string = randomUUID()): Outcome<Run> {
    const { store, clock } = this.#parts
    const found = this.find(name)
    if (!found.ok) return found
    const now = clock.now()
    const added = await store.add(
      {
        tenant,
        automation: name,
        occurrence: `manual:${key}`,
        source: 'manual',
        due: now,
        inOrder: isInOrder(found.value),
      },
      now,
    )
    if (!added.ok) return added
    return added.value.kind === 'paused'
      ? err(failure('NOT_FOUND', 'there is no such automation'))
      : ok(added.value.run)
  }

  /** Makes runs of the due times of a span that have none; those that ran are left alone. */
  async backfill(
    tenant: TenantId,
    name: string,
    from: number,
    to: number,
  ): Outcome<readonly Run[]> {
    const { store, clock } = this.#parts
    const found = this.find(name)
    if (!found.ok) return found
    const rules = await store.rules(tenant)
    if (!rules.ok) return rules
    if (rules.value.find(({ automation }) => automation === name)?.paused === true)
      return err(AutomationPaused('this automation is paused: resume it first'))
    const due = this.#dueOf(found.value, from - 1, Math.min(to, clock.now()), MOST_BACKFILLED)
    if (!due.ok) return due
    const runs: Run[] = []
    for (const at of due.value) {
      const draft = { ...cronRun(tenant, found.value, at), source: 'backfill' as const }
      const added = await store.add({ ...draft, inOrder: true }, clock.now())
      if (!added.ok) return added
      if (added.value.kind === 'fresh') runs.push(added.value.run)
    }
    return ok(runs)
  }

  /** The next due times, whether it is paused or not. */
  preview(name: string, count: number): Result<readonly number[], Failure> {
    const found = this.find(name)
    if (!found.ok) return found
    const rule = this.#scheduleOf(found.value)
    if (!rule.ok) return rule
    const due: number[] = []
    let at = rule.value.next(this.#parts.clock.now())
    for (; at !== undefined && due.length < count; at = rule.value.next(at)) due.push(at)
    return ok(due)
  }

  async history(tenant: TenantId, name: string, limit: number): Outcome<readonly Run[]> {
    const found = this.find(name)
    return found.ok ? this.#parts.store.runs(tenant, name, limit) : found
  }

  deliveries(tenant: TenantId, page: DeliveryPage): Outcome<readonly DeliveryRow[]> {
    return this.#parts.store.deliveries(tenant, page)
  }

  attempts(tenant: TenantId, id: string): ReturnType<AutomationStore['attempts']> {
    return this.#parts.store.attempts({ tenant, id })
  }

  /** Sends dead deliveries again: these, or all of an automation. */
  async redrive(tenant: TenantId, name: string, ids: readonly string[] | 'all'): Outcome<number> {
    const { store } = this.#parts
    const dead = await store.deliveries(tenant, { automation: name, status: 'dead', limit: 1_000 })
    if (!dead.ok) return dead
    const chosen = dead.value.map(({ id }) => id).filter((id) => ids === 'all' || ids.includes(id))
    return store.redrive(tenant, chosen)
  }

  /** Waits until `done` says so of the run, or `signal` aborts. */
  async wait(run: Run, done: (run: Run) => boolean, signal: AbortSignal): Outcome<Run> {
    let seen = run
    while (!done(seen)) {
      if (signal.aborted) return err(failure('TIMEOUT', 'the run goes on; look at its history'))
      await sleep(LOOK_MS, signal)
      const found = await this.#parts.store.run(run)
      if (!found.ok) return found
      if (!found.value) return err(failure('NOT_FOUND', 'there is no such run any more'))
      seen = found.value
    }
    return ok(seen)
  }

  #scheduleOf({ schedule, timezone }: Automation) {
    const parsed = schedule === undefined ? undefined : parseSchedule(schedule, timezone)
    return parsed?.ok
      ? ok(parsed.value)
      : err(failure('VALIDATION_ERROR', 'it is not started by a schedule'))
  }

  #dueOf(automation: Automation, from: number, to: number, most: number) {
    const rule = this.#scheduleOf(automation)
    if (!rule.ok) return rule
    const due = rule.value.between(from, to, most + 1)
    return due.length > most
      ? err(failure('VALIDATION_ERROR', `these are more than ${most} due times; take less`))
      : ok(due)
  }
}
