import { ok, tenantId, timeLimit, type Database, type Failure, type Result } from '@amodal/sdk'
import { runQuery, tenantDatabase } from '@amodal/sdk/database'
import { ADD_ALERT, ALERTS } from '../statements.ts'
import type { Alert } from './alert.ts'

type Outcome<T> = Promise<Result<T, Failure>>

/** Alerts of all tenants. */
export interface AlertStore {
  /** An alert that is there already stays as it is. */
  add(tenant: string, alert: Alert, signal: AbortSignal): Outcome<void>
  list(tenant: string, periods: readonly string[], signal: AbortSignal): Outcome<readonly Alert[]>
}

const STATEMENT_MS = 15_000

export class DatabaseAlerts implements AlertStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async add(tenant: string, alert: Alert, signal: AbortSignal): Outcome<void> {
    const limit = timeLimit(STATEMENT_MS, 'storing an alert', signal)
    const added = await runQuery(this.#of(tenant), ADD_ALERT(alert), limit)
    return added.ok ? ok(undefined) : added
  }

  list(tenant: string, periods: readonly string[], signal: AbortSignal): Outcome<readonly Alert[]> {
    const limit = timeLimit(STATEMENT_MS, 'reading alerts', signal)
    return runQuery(this.#of(tenant), ALERTS({ periods }), limit)
  }

  #of(tenant: string): Pick<Database, 'run'> {
    return tenantDatabase(this.#database, tenantId(tenant))
  }
}

/** Without a database: those of this process. */
export class MemoryAlerts implements AlertStore {
  readonly #alerts = new Map<string, { readonly tenant: string; readonly alert: Alert }>()

  async add(tenant: string, alert: Alert): Outcome<void> {
    const key = JSON.stringify([tenant, alert.budget, alert.period, alert.percent])
    if (!this.#alerts.has(key)) this.#alerts.set(key, { tenant, alert })
    return ok(undefined)
  }

  async list(tenant: string, periods: readonly string[]): Outcome<readonly Alert[]> {
    return ok(
      [...this.#alerts.values()].flatMap((one) =>
        one.tenant === tenant && periods.includes(one.alert.period) ? [one.alert] : [],
      ),
    )
  }
}
