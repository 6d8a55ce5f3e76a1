import {
  timeLimit,
  type Agent,
  type Clock,
  type Database,
  type HookTaps,
  type Logger,
  type SessionStore,
} from '@amodal/sdk'
import type { Notices } from '@amodal/plugin-notify/tokens'
import type { SessionRelations } from '@amodal/plugin-sessions/tokens'
import { DatabaseAlerts, MemoryAlerts, type AlertStore } from './budgets/alert-store.ts'
import { BudgetWatch } from './budgets/budget-watch.ts'
import { catchUp } from './catch-up.ts'
import { DatabaseUsage } from './database-store.ts'
import { JournalReader } from './journal-reader.ts'
import { MemoryUsage } from './memory-store.ts'
import { Recorder } from './recorder.ts'
import type { Forgotten } from './report.ts'
import { profileIn } from './run-usage.ts'
import { keptSince } from './settings.ts'

/** ms between looks at the journal, and at rows whose time is over. */
const SWEEP_MS = 3_600_000
/** ms for one of them. */
const SWEEP_LIMIT_MS = 600_000
const TENANT_MS = 4_000

interface CountingParts {
  readonly agent: Agent
  readonly clock: Clock
  readonly log: Logger
  readonly sessions: SessionStore
  readonly relations: SessionRelations | undefined
  readonly database: Database | undefined
  readonly notices: Notices | undefined
}

/** Counts the runs of this process, and those that a dead process has left uncounted. */
export class Counting {
  readonly store: DatabaseUsage | MemoryUsage
  readonly recorder: Recorder
  readonly alerts: AlertStore
  readonly #budgets: BudgetWatch
  readonly #parts: CountingParts
  readonly #journal: JournalReader
  /** From when on the runs of a tenant are counted, ms since the epoch. */
  readonly #tenants = new Map<string, number>()
  readonly #life = new AbortController()
  #timer: ReturnType<typeof setInterval> | undefined
  #sweeping: Promise<void> | undefined

  constructor(parts: CountingParts) {
    const { agent, clock, database, log, sessions } = parts
    this.#parts = parts
    this.store = database ? new DatabaseUsage(database) : new MemoryUsage()
    this.#journal = new JournalReader({
      sessions,
      store: this.store,
      countedFrom: (tenant) =>
        Math.max(this.#tenants.get(tenant) ?? 0, keptSince(agent.bundle(), clock.now())),
    })
    this.alerts = database ? new DatabaseAlerts(database) : new MemoryAlerts()
    this.#budgets = new BudgetWatch({ ...parts, store: this.store, alerts: this.alerts })
    this.recorder = new Recorder({
      store: this.store,
      journal: this.#journal,
      log,
      onCounted: (tenants) => this.#budgets.counted(tenants),
    })
  }

  tap({ run, session }: HookTaps): void {
    run.end.tap(({ entries }, ctx) => {
      this.recorder.add({
        tenant: ctx.tenant,
        session: ctx.session,
        entries,
        isDelegated: ctx.delegated === true,
        profile: ctx.delegated === true ? null : profileIn(ctx.sessionState),
      })
    })
    // Before its first run: a process that dies finds the tenants whose journals it must compare.
    session.open.tap(async ({ tenant }) => {
      if (!this.#tenants.has(tenant)) await this.#count(tenant)
      return undefined
    })
  }

  /** Drops runs that wait to be written. */
  forget(erased: Forgotten): void {
    this.recorder.forget(erased)
  }

  /** Its next session is counted as that of a new tenant. */
  forgetTenant(tenant: string): void {
    this.#tenants.delete(tenant)
  }

  /** Starts to compare the journal with the rows, now and from time to time. */
  start(): void {
    if (this.#timer) return
    this.#timer = setInterval(() => void this.sweep(), SWEEP_MS)
    this.#timer.unref()
    void this.sweep()
  }

  /** Counts what is missing, and removes rows whose time is over. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = undefined
    })
    return this.#sweeping
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#life.abort()
    await this.#sweeping
    await this.recorder.flush()
    this.recorder.close()
    await this.#budgets.close()
  }

  async #sweep(): Promise<void> {
    const { agent, clock, log, sessions, relations } = this.#parts
    const limit = timeLimit(SWEEP_LIMIT_MS, 'comparing usage with the journal', this.#life.signal)
    const { store } = this
    const now = clock.now()
    if (store instanceof DatabaseUsage) {
      const tenants = await store.tenants(limit)
      if (tenants.ok)
        for (const { tenant, since } of tenants.value) this.#tenants.set(tenant, since)
      const counted = await catchUp(
        { store, sessions, relations, journal: this.#journal },
        now,
        limit,
      )
      if (this.#life.signal.aborted) return
      if (!counted.ok) log.warn('usage.not_compared', { message: counted.error.message })
      else if (counted.value > 0) log.info('usage.caught_up', { runs: counted.value })
      // A process that died may have counted a run and told nobody.
      this.#budgets.counted(this.#tenants.keys())
    }
    const pruned = await store.prune(keptSince(agent.bundle(), now), limit)
    if (!pruned.ok && !this.#life.signal.aborted)
      log.warn('usage.not_pruned', { message: pruned.error.message })
  }

  async #count(tenant: string): Promise<void> {
    const { clock, log } = this.#parts
    const now = clock.now()
    const added =
      this.store instanceof DatabaseUsage
        ? await this.store.addTenant(tenant, now, timeLimit(TENANT_MS, 'counting a tenant'))
        : undefined
    if (added && !added.ok)
      return log.warn('usage.tenant_not_counted', { tenant, message: added.error.message })
    if (!this.#tenants.has(tenant)) this.#tenants.set(tenant, now)
  }
}
