import type { JournalEntry, RunEnded } from '@amodal/sdk'
import { spentIn } from '@amodal/sdk/loop'

/** The usage of the last model call of a run, and the cost of all of them and of its sub-agents. */
export function totalsOf(entries: readonly JournalEntry[]): Pick<RunEnded, 'last_usage' | 'cost'> {
  const last = entries.findLast((entry) => entry.kind === 'model_reply')
  const costs = entries.flatMap(
    (entry) => (entry.kind === 'child_closed' ? entry.cost : spentIn(entry)?.cost) ?? [],
  )
  return {
    ...(last && { last_usage: last.usage }),
    ...(costs.length > 0 && { cost: costs.reduce((sum, cost) => sum + cost, 0) }),
  }
}
