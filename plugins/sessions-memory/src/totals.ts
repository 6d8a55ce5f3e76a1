import {
  isObject,
  SUBAGENT_META,
  trySync,
  type Json,
  type SessionTotals,
  type TotalsOf,
} from '@amodal/sdk'
import type { Lane } from './lane.ts'

/** Models and sub-agents that are told of, of each. */
const MOST = 10

/** What these sessions came to. */
export function totalsOf(lanes: readonly Lane[]): SessionTotals {
  return {
    ...sumsOf(lanes),
    lastActive:
      lanes.length === 0
        ? undefined
        : lanes.reduce((last, { updatedAt }) => Math.max(last, updatedAt), 0),
    models: sumsBy(lanes, ({ model }) => model),
    agents: sumsBy(lanes, subagentOf),
  }
}

function sumsBy(
  lanes: readonly Lane[],
  nameOf: (lane: Lane) => string | undefined,
): readonly TotalsOf[] {
  const groups = Map.groupBy(lanes, nameOf)
  return [...groups]
    .flatMap(([name, own]) => (name === undefined ? [] : [{ name, ...sumsOf(own) }]))
    .sort(
      (a, b) =>
        b.inputTokens + b.outputTokens - a.inputTokens - a.outputTokens ||
        (a.name < b.name ? -1 : 1),
    )
    .slice(0, MOST)
}

/** The name of the sub-agent whose session it is. */
export function subagentOf({ parent, forkedAt, meta }: Lane): string | undefined {
  if (parent === undefined || forkedAt !== 0) return undefined
  const read = trySync(
    () => JSON.parse(meta) as Json,
    () => undefined,
  ) // JSON text
  const name = read.ok && isObject(read.value) ? read.value[SUBAGENT_META] : undefined
  return typeof name === 'string' ? name : undefined
}

function sumsOf(lanes: readonly Lane[]) {
  const priced = lanes.flatMap(({ cost }) => cost ?? [])
  const sum = (numbers: readonly number[]): number =>
    numbers.reduce((total, number) => total + number, 0)
  return {
    sessions: lanes.length,
    inputTokens: sum(lanes.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(lanes.map(({ outputTokens }) => outputTokens)),
    cost: priced.length === 0 ? undefined : sum(priced),
  }
}
