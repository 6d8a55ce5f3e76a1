import { isList, isObject, type Json } from '@amodal/sdk'
import type { EvalRun, TrialResult } from '../results/result.ts'
import { caseName, type UsedNames } from './touched-cases.ts'

/** What may name a part of an agent; other texts are content. */
const NAME = /^[\w./-]{1,60}$/

/**
 * What the calls of each case went to when it was last run: tools and sub-agents by their names,
 * and what arguments name, such as a skill, a connection or a store.
 *
 * @param runs the newest first
 */
export function usedNames(runs: readonly Pick<EvalRun, 'results'>[]): UsedNames {
  const used = new Map<string, ReadonlySet<string>>()
  for (const { results } of runs) {
    // A trial that could not be judged may have ended before its calls.
    const complete = results.filter(({ status }) => status !== 'error')
    const byCase = Map.groupBy(complete, (one) => caseName(one.suite, { name: one.case }))
    for (const [name, trials] of byCase)
      if (!used.has(name)) used.set(name, new Set(trials.flatMap(namesIn)))
  }
  return used
}

const namesIn = ({ calls }: TrialResult): readonly string[] =>
  calls.flatMap(({ agents, args, name }) => [
    ...agents,
    name,
    ...Object.values(args).flatMap(textsIn),
  ])

function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return NAME.test(value) ? [value] : []
  if (isList(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
}
