import {
  isObject,
  SUBAGENT_META,
  trySync,
  type Json,
  type SessionTotals,
  type TotalsOf,
} from '@amodal/sdk'
import type { StoredSession } from './stored-session.ts'

/** Models, and sub-agents, that are reported at most. */
const MOST = 10

/** The totals of these sessions. */
export function totalsOf(sessions: readonly StoredSession[]): SessionTotals {
  return {
    ...sumsOf(sessions),
    lastActive:
      sessions.length === 0
        ? undefined
        : sessions.reduce((last, { updatedAt }) => Math.max(last, updatedAt), 0),
    models: sumsBy(sessions, ({ model }) => model),
    agents: sumsBy(sessions, subagentOf),
  }
}

function sumsBy(
  sessions: readonly StoredSession[],
  nameOf: (stored: StoredSession) => string | undefined,
): readonly TotalsOf[] {
  const groups = Map.groupBy(sessions, nameOf)
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
export function subagentOf({ parent, forkedAt, meta }: StoredSession): string | undefined {
  if (parent === undefined || forkedAt !== 0) return undefined
  const read = trySync(
    () => JSON.parse(meta) as Json,
    () => undefined,
  ) // JSON text
  const name = read.ok && isObject(read.value) ? read.value[SUBAGENT_META] : undefined
  return typeof name === 'string' ? name : undefined
}

function sumsOf(sessions: readonly StoredSession[]) {
  const priced = sessions.flatMap(({ cost }) => cost ?? [])
  const sum = (numbers: readonly number[]): number =>
    numbers.reduce((total, number) => total + number, 0)
  return {
    sessions: sessions.length,
    inputTokens: sum(sessions.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(sessions.map(({ outputTokens }) => outputTokens)),
    cost: priced.length === 0 ? undefined : sum(priced),
  }
}
