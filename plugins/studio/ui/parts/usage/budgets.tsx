import { useEffect, useState, type ReactNode } from 'react'
import type { Server } from '../../model/server.ts'
import { USAGE_STRINGS } from '../../strings-usage.ts'

/** A budget as `GET /api/usage/budgets` returns it. */
interface BudgetStatus {
  readonly name: string
  readonly per: 'day' | 'month'
  readonly dollars: number
  readonly spent: number
  readonly percent: number
  readonly alerts: readonly { readonly percent: number; readonly at: string }[]
}

const WARN = 80
const FULL = 100

/** What is spent of each budget; nothing where the agent declares none. */
export function Budgets({
  server,
  report,
}: {
  readonly server: Server
  /** Of which a new one says that something may have been spent. */
  readonly report: object
}): ReactNode {
  const [budgets, setBudgets] = useState<readonly BudgetStatus[]>([])
  useEffect(() => {
    let isOver = false
    server
      .read<{ readonly budgets: readonly BudgetStatus[] }>('/api/usage/budgets')
      .then((answer) => {
        if (!isOver) setBudgets(answer.budgets)
      })
      // the report beside it shows what is wrong
      .catch(() => undefined)
    return () => {
      isOver = true
    }
  }, [server, report])
  if (budgets.length === 0) return undefined
  return (
    <section className="usage-budgets" aria-label={USAGE_STRINGS.budgets}>
      {budgets.map((budget) => (
        <BudgetBar key={budget.name} budget={budget} />
      ))}
    </section>
  )
}

function BudgetBar({ budget }: { readonly budget: BudgetStatus }): ReactNode {
  const { name, per, dollars, spent, percent, alerts } = budget
  const share = Math.round(percent)
  return (
    <div className={`usage-budget ${toneOf(percent)}`}>
      <header>
        <strong>{name}</strong>
        <span className="muted">
          ${spent.toFixed(2)} / ${dollars.toFixed(2)} {USAGE_STRINGS.per[per]}
        </span>
      </header>
      <meter
        min={0}
        max={FULL}
        low={WARN}
        high={FULL}
        optimum={0}
        value={Math.min(percent, FULL)}
        aria-label={`${name}: ${share} %`}
      />
      <footer className="muted">
        {share} %
        {alerts.map((alert) => (
          <span key={alert.percent}>
            {' · '}
            {alert.percent} % {USAGE_STRINGS.alerted}{' '}
            <time dateTime={alert.at}>{new Date(alert.at).toLocaleString()}</time>
          </span>
        ))}
      </footer>
    </div>
  )
}

function toneOf(percent: number): string {
  if (percent >= FULL) return 'bad'
  return percent >= WARN ? 'warn' : 'good'
}
