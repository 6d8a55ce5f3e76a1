import { ok, type Failure, type Result } from '@amodal/sdk'
import type { UsageQuery, UsageStore } from '../report.ts'
import type { Budget } from '../settings.ts'

/** Billionths of a dollar. */
export const DOLLAR = 1_000_000_000
const PERCENT = 100

/** The day or month in which a budget counts, of UTC. */
export interface Period {
  /** Such as `2026-11-28` or `2026-11`. */
  readonly name: string
  /** ms since the epoch. */
  readonly from: number
  readonly to: number
}

export function periodOf({ per }: Pick<Budget, 'per'>, now: number): Period {
  const date = new Date(now)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  const text = date.toISOString()
  return per === 'day'
    ? {
        name: text.slice(0, 10),
        from: Date.UTC(year, month, day),
        to: Date.UTC(year, month, day + 1),
      }
    : { name: text.slice(0, 7), from: Date.UTC(year, month), to: Date.UTC(year, month + 1) }
}

/** What has been spent of a budget. */
export interface BudgetStatus {
  readonly budget: Budget
  readonly period: Period
  /** Billionths of a dollar. */
  readonly spent: number
  readonly percent: number
}

/** Of a model or tool, its own share of what runs cost; else all of it. */
export async function statusOf(
  budget: Budget,
  tenant: string,
  now: number,
  store: Pick<UsageStore, 'report'>,
  signal: AbortSignal,
): Promise<Result<BudgetStatus, Failure>> {
  const { agent, model, tool, principal, automation, dollars } = budget
  const period = periodOf(budget, now)
  const key = model ?? tool
  const query: UsageQuery = {
    from: period.from,
    to: period.to,
    by: 'day',
    group: model === undefined && tool !== undefined ? 'tool' : 'model',
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(tool !== undefined && { tool }),
    ...(principal !== undefined && { principal }),
    ...(automation !== undefined && { automation }),
  }
  const report = await store.report(tenant, query, signal)
  if (!report.ok) return report
  const { total, groups } = report.value
  const sums = key === undefined ? total : groups.find((group) => group.key === key)
  const spent = sums?.cost ?? 0
  return ok({ budget, period, spent, percent: (spent / (dollars * DOLLAR)) * PERCENT })
}
