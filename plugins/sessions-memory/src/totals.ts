import type { SessionTotals } from '@amodal/sdk'
import type { Lane } from './lane.ts'

/** Models that are told of. */
const MOST = 10

/** What these sessions came to. */
export function totalsOf(lanes: readonly Lane[]): SessionTotals {
  const byModel = Map.groupBy(lanes.filter(({ model }) => model !== undefined), ({ model }) => String(model))
  const models = [...byModel].map(([model, own]) => ({ model, ...sumsOf(own) }))
  return {
    ...sumsOf(lanes),
    lastActive: lanes.length === 0 ? undefined : lanes.reduce((last, { updatedAt }) => Math.max(last, updatedAt), 0),
    models: models.sort((a, b) => b.inputTokens + b.outputTokens - a.inputTokens - a.outputTokens || (a.model < b.model ? -1 : 1)).slice(0, MOST),
  }
}

function sumsOf(lanes: readonly Lane[]) {
  const priced = lanes.flatMap(({ cost }) => cost ?? [])
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
  return {
    sessions: lanes.length, inputTokens: sum(lanes.map(({ inputTokens }) => inputTokens)), outputTokens: sum(lanes.map(({ outputTokens }) => outputTokens)),
    cost: priced.length === 0 ? undefined : sum(priced),
  }
}
