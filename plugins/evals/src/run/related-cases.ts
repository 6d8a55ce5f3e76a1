import type { AgentBundle } from '@amodal/sdk'
import { suitesOf } from '../definition.ts'
import type { RunStore } from '../results/result.ts'
import { touchedCases, type TouchedCases } from './touched-cases.ts'
import { usedNames } from './used-names.ts'

/** Stored runs that are looked at for what a case used. */
const RUNS = 50

/** The cases that a change of files can make another result of. */
export interface RelatedCases extends TouchedCases {
  /** How many the agent has. */
  readonly total: number
}

/**
 * The cases that depend on files, by what they used when they were last run.
 *
 * @param files paths below the agent folder
 * @param stores of the runs that whoever asks may see
 */
export async function relatedCases(
  files: readonly string[],
  bundle: AgentBundle,
  stores: readonly RunStore[],
): Promise<RelatedCases> {
  const suites = suitesOf(bundle)
  const total = suites.reduce((sum, { cases }) => sum + cases.length, 0)
  if (total === 0) return { cases: [], total }
  const runs = (await Promise.all(stores.map((store) => store.list(RUNS))))
    .flat()
    .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
  return { ...touchedCases(files, suites, usedNames(runs)), total }
}
