import { ok, type Failure, type JsonObject, type Result } from '@amodal/sdk'
import type { UsageStore } from '../report.ts'
import type { Budget } from '../settings.ts'
import type { AlertStore } from './alert-store.ts'
import { DOLLAR, periodOf, statusOf } from './budget-status.ts'

/** Budgets with what is spent of them now, as `GET /api/usage/budgets` returns them. */
export async function budgetList(
  budgets: readonly Budget[],
  tenant: string,
  now: number,
  { store, alerts }: { readonly store: UsageStore; readonly alerts: AlertStore },
  signal: AbortSignal,
): Promise<Result<readonly JsonObject[], Failure>> {
  const periods = budgets.map((budget) => periodOf(budget, now).name)
  const known = await alerts.list(tenant, [...new Set(periods)], signal)
  if (!known.ok) return known
  const list: JsonObject[] = []
  for (const budget of budgets) {
    const status = await statusOf(budget, tenant, now, store, signal)
    if (!status.ok) return status
    const { period, spent, percent } = status.value
    const { name, dollars, per, alertAt, ...of } = budget
    list.push({
      name,
      per,
      period: period.name,
      from: new Date(period.from).toISOString(),
      to: new Date(period.to).toISOString(),
      dollars,
      spent: spent / DOLLAR,
      percent,
      alert_at: [...alertAt],
      of: { ...of },
      alerts: known.value
        .filter((alert) => alert.budget === name && alert.period === period.name)
        .map((alert) => ({ percent: alert.percent, at: new Date(alert.at).toISOString() })),
    })
  }
  return ok(list)
}
