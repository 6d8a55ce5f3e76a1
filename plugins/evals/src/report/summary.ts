import type { EvalRun, TrialResult } from '../results/result.ts'
import { passAtK, passHatK, wilson } from '../statistics.ts'

/** What all trials of one case with one model came to. */
export interface CaseSummary {
  readonly suite: string
  readonly case: string
  readonly variant: string
  readonly trials: number
  readonly passed: number
  readonly errors: number
  /** Some of its trials pass, and some do not. */
  readonly flaky: boolean
}

/** What a run came to with one model. */
export interface VariantSummary {
  readonly variant: string
  readonly trials: number
  readonly passed: number
  readonly failed: number
  readonly errors: number
  /** Share of trials that passed, from 0 to 1, and the interval in which it lies by 95 %. */
  readonly passRate: number
  readonly interval: readonly [low: number, high: number]
  /** Trials of each case. */
  readonly k: number
  /** Mean over cases of the chance that at least one of `k` trials passes. */
  readonly passAtK: number
  /** Mean over cases of the chance that all `k` trials pass. */
  readonly passHatK: number
  readonly tokens: number
  /** Dollars of the agent; left out where the price of its model is not known. */
  readonly cost?: number
  readonly judgeCost: number
  /** Seconds of a trial: the median, and what 95 % stay below. */
  readonly p50: number
  readonly p95: number
}

export interface RunSummary {
  readonly cases: readonly CaseSummary[]
  readonly variants: readonly VariantSummary[]
}

/** Sums up what is there of a run. */
export function summaryOf({
  request,
  results,
  variants,
}: Pick<EvalRun, 'request' | 'results' | 'variants'>): RunSummary {
  const byCase = Map.groupBy(results, (one) => JSON.stringify([one.suite, one.case, one.variant]))
  const cases = [...byCase.values()].flatMap((trials) => {
    const [first] = trials
    if (!first) return []
    const passed = count(trials, 'passed')
    return [
      {
        suite: first.suite,
        case: first.case,
        variant: first.variant,
        trials: trials.length,
        passed,
        errors: count(trials, 'error'),
        flaky: passed > 0 && passed < trials.length,
      },
    ]
  })
  return {
    cases,
    variants: variants.map(({ name }) =>
      variantSummary(
        name,
        results.filter(({ variant }) => variant === name),
        cases.filter(({ variant }) => variant === name),
        request.runs,
      ),
    ),
  }
}

function variantSummary(
  variant: string,
  results: readonly TrialResult[],
  cases: readonly CaseSummary[],
  runs: number,
): VariantSummary {
  const passed = count(results, 'passed')
  // A run that was cut may lack trials of a case.
  const k = Math.min(runs, ...cases.map(({ trials }) => trials))
  const mean = (of: (one: CaseSummary) => number): number =>
    cases.length === 0 ? 0 : cases.reduce((sum, one) => sum + of(one), 0) / cases.length
  const seconds = results.map((one) => one.seconds).sort((a, b) => a - b)
  const isPriced = results.every(({ cost }) => cost !== undefined)
  return {
    variant,
    trials: results.length,
    passed,
    failed: count(results, 'failed'),
    errors: count(results, 'error'),
    passRate: results.length === 0 ? 0 : passed / results.length,
    interval: wilson(passed, results.length),
    k: cases.length === 0 ? runs : k,
    passAtK: mean((one) => passAtK(one.trials, one.passed, k) ?? 0),
    passHatK: mean((one) => passHatK(one.trials, one.passed, k) ?? 0),
    tokens: sum(results, ({ tokens }) => tokens.input + tokens.output),
    ...(isPriced && { cost: sum(results, ({ cost = 0 }) => cost) }),
    judgeCost: sum(results, ({ judge }) => judge?.cost ?? 0),
    p50: quantile(seconds, 0.5),
    p95: quantile(seconds, 0.95),
  }
}

const count = (results: readonly TrialResult[], status: TrialResult['status']): number =>
  results.filter((one) => one.status === status).length

const sum = (results: readonly TrialResult[], of: (one: TrialResult) => number): number =>
  results.reduce((total, one) => total + of(one), 0)

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
