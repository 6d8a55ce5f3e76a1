import {
  ok,
  tenantId,
  timeLimit,
  type Agent,
  type Clock,
  type Failure,
  type Logger,
  type Result,
} from '@amodal/sdk'
import type { Notices } from '@amodal/plugin-notify/tokens'
import type { UsageStore } from '../report.ts'
import { budgetsOf } from '../settings.ts'
import type { AlertStore } from './alert-store.ts'
import { DOLLAR, statusOf, type BudgetStatus } from './budget-status.ts'

interface Parts {
  readonly agent: Agent
  readonly clock: Clock
  readonly log: Logger
  readonly store: UsageStore
  readonly alerts: AlertStore
  /** `undefined`: nobody can be told; alerts are in the log and in the list of budgets. */
  readonly notices: Notices | undefined
}

/** ms for which tenants are gathered, so that many runs cause one look. */
const GATHER_MS = 1_000
const CHECK_MS = 60_000

/** Looks at the budgets of a tenant after its runs were counted, and tells of those it exceeds. */
export class BudgetWatch {
  readonly #parts: Parts
  readonly #waiting = new Set<string>()
  readonly #life = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #checking: Promise<void> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Runs of these tenants were counted. */
  counted(tenants: Iterable<string>): void {
    if (budgetsOf(this.#parts.agent.bundle()).length === 0) return
    for (const tenant of tenants) this.#waiting.add(tenant)
    this.#later()
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#life.abort(new Error('the server stops'))
    await this.#checking
  }

  #later(): void {
    if (this.#timer || this.#checking || this.#life.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#checking = this.#check().finally(() => {
        this.#checking = undefined
        if (this.#waiting.size > 0) this.#later()
      })
    }, GATHER_MS)
    this.#timer.unref()
  }

  async #check(): Promise<void> {
    const tenants = [...this.#waiting]
    this.#waiting.clear()
    const limit = timeLimit(CHECK_MS, 'checking budgets', this.#life.signal)
    for (const tenant of tenants) {
      const checked = await this.#checkTenant(tenant, limit)
      if (checked.ok || this.#life.signal.aborted) continue
      // The next run that is counted causes another look.
      this.#parts.log.warn('usage.budgets_not_checked', { tenant, message: checked.error.message })
    }
  }

  async #checkTenant(tenant: string, signal: AbortSignal): Promise<Result<void, Failure>> {
    const { agent, alerts, clock, store } = this.#parts
    for (const budget of budgetsOf(agent.bundle())) {
      const status = await statusOf(budget, tenant, clock.now(), store, signal)
      if (!status.ok) return status
      const known = await alerts.list(tenant, [status.value.period.name], signal)
      if (!known.ok) return known
      const percent = budget.alertAt
        .filter((share) => share <= status.value.percent)
        .toSorted((a, b) => a - b)
        .at(-1)
      const isKnown = known.value.some(
        (alert) => alert.budget === budget.name && alert.percent >= (percent ?? 0),
      )
      if (percent === undefined || isKnown) continue
      const alerted = await this.#alert(tenant, status.value, percent, signal)
      if (!alerted.ok) return alerted
    }
    return ok(undefined)
  }

  /** Queued before it is stored: where the process dies between the two, it is queued once more. */
  async #alert(
    tenant: string,
    { budget, period, spent, percent: now }: BudgetStatus,
    percent: number,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>> {
    const { agent, alerts, clock, log, notices } = this.#parts
    const dollars = (spent / DOLLAR).toFixed(2)
    const message = `${percent} % of the budget "${budget.name}" is spent: ${dollars} of ${budget.dollars} dollars in ${period.name}.`
    log.warn('usage.budget', { tenant, budget: budget.name, percent, message })
    if (notices?.hasTarget(agent.bundle()) === true) {
      const { name, dollars: limit, per, alertAt: _, ...of } = budget
      const data = {
        budget: name,
        per,
        period: period.name,
        percent,
        spent_percent: Math.round(now),
        spent_dollars: Number(dollars),
        budget_dollars: limit,
        of: { ...of },
      }
      const key = `budget:${tenant}:${name}:${period.name}:${percent}`
      const notice = { type: 'usage.budget', message, data }
      const queued = await notices.send(key, tenantId(tenant), notice, signal)
      if (!queued.ok) return queued
    }
    const alert = { budget: budget.name, period: period.name, percent, at: clock.now(), spent }
    return alerts.add(tenant, alert, signal)
  }
}
