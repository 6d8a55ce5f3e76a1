import type { EvalRun, TrialResult } from '../results/result.ts'

/** What the trials of one case with one model came to. */
export interface CaseSide {
  readonly trials: number
  readonly passed: number
  readonly errors: number
  /** Dollars of the agent; left out where the price of its model is not known. */
  readonly cost?: number
  /** Of all its trials. */
  readonly seconds: number
}

export type Change = 'worse' | 'better' | 'same' | 'added' | 'missing'

/** One case in two runs. */
export interface CaseComparison {
  readonly suite: string
  readonly case: string
  /** The model of the later run; of the earlier one where it is missing in the later. */
  readonly variant: string
  readonly change: Change
  readonly before?: CaseSide
  readonly now?: CaseSide
  /** Dollars and seconds of a trial, now less before; left out where one of them is not known. */
  readonly cost?: number
  readonly seconds?: number
}

/**
 * Two runs side by side, case by case and model by model. Where each has one model, cases are
 * compared whichever that is.
 */
export function compareRuns(before: EvalRun, now: EvalRun): readonly CaseComparison[] {
  const anyModel = before.variants.length === 1 && now.variants.length === 1
  const keyOf = (one: TrialResult): string =>
    JSON.stringify([one.suite, one.case, anyModel ? '' : one.variant])
  const [old, current] = [Map.groupBy(before.results, keyOf), Map.groupBy(now.results, keyOf)]
  const keys = new Set([...current.keys(), ...old.keys()])
  return [...keys].flatMap((key) => {
    const [earlier = [], later = []] = [old.get(key), current.get(key)]
    const [first] = [...later, ...earlier]
    return first ? [comparison(first, sideOf(earlier), sideOf(later))] : []
  })
}

function comparison(
  { case: name, suite, variant }: TrialResult,
  before: CaseSide | undefined,
  now: CaseSide | undefined,
): CaseComparison {
  const cost = difference(meanOf(before, before?.cost), meanOf(now, now?.cost))
  const seconds = difference(meanOf(before, before?.seconds), meanOf(now, now?.seconds))
  return {
    suite,
    case: name,
    variant,
    change: changeOf(before, now),
    ...(before && { before }),
    ...(now && { now }),
    ...(cost !== undefined && { cost }),
    ...(seconds !== undefined && { seconds }),
  }
}

function sideOf(results: readonly TrialResult[]): CaseSide | undefined {
  if (results.length === 0) return undefined
  const count = (status: TrialResult['status']): number =>
    results.filter((one) => one.status === status).length
  const isPriced = results.every(({ cost }) => cost !== undefined)
  return {
    trials: results.length,
    passed: count('passed'),
    errors: count('error'),
    ...(isPriced && { cost: results.reduce((sum, { cost = 0 }) => sum + cost, 0) }),
    seconds: results.reduce((sum, one) => sum + one.seconds, 0),
  }
}

function changeOf(before: CaseSide | undefined, now: CaseSide | undefined): Change {
  if (!before) return 'added'
  if (!now) return 'missing'
  const change = now.passed / now.trials - before.passed / before.trials
  if (change === 0) return 'same'
  return change < 0 ? 'worse' : 'better'
}

const meanOf = (side: CaseSide | undefined, total: number | undefined): number | undefined =>
  side && total !== undefined ? total / side.trials : undefined

const difference = (before: number | undefined, now: number | undefined): number | undefined =>
  before === undefined || now === undefined ? undefined : now - before
