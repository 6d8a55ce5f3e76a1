import type { TrialResult } from '@amodal/plugin-evals/tokens'
import type { Experiment } from '../definition.ts'
import { meanOf, sampleOf } from '../storage/sample.ts'
import { signTest, studentQuantile } from './quantile.ts'
import type { OfflineResult } from './run-variants.ts'

/** Cases below which a difference has no interval. */
const LEAST = 3

/** The mean of the differences by case, `variant − control`. */
export interface PairedDifference {
  readonly mean: number
  /** Left out for fewer than three cases. */
  readonly interval?: readonly [low: number, high: number]
}

export interface OfflineComparison {
  readonly variant: string
  readonly isControl: boolean
  readonly problem?: string
  /** Trials that passed, of those that could be judged. */
  readonly passed: number
  readonly judged: number
  readonly errors: number
  /** Dollars and seconds of a case; left out where they are not known. */
  readonly cost?: number
  readonly seconds?: number
  /** The rest is left out for the control. */
  readonly cases?: {
    readonly paired: number
    readonly better: readonly string[]
    readonly worse: readonly string[]
  }
  readonly passRate?: PairedDifference
  readonly costDifference?: PairedDifference
  readonly secondsDifference?: PairedDifference
  /** By the cases that differ, with an exact sign test. */
  readonly verdict?: 'better' | 'worse' | 'undecided'
}

interface CaseFacts {
  readonly passRate: number | undefined
  readonly cost: number | undefined
  readonly seconds: number | undefined
}
type Cases = ReadonlyMap<string, CaseFacts>

/** Compares each variant with the control, case by case. */
export function compareVariants(
  { alpha, control, variants }: Pick<Experiment, 'alpha' | 'control' | 'variants'>,
  results: readonly OfflineResult[],
): readonly OfflineComparison[] {
  const level = alpha / Math.max(1, variants.length - 1)
  const base = casesOf(results.find(({ variant }) => variant === control)?.results ?? [])
  return results.map((one) => {
    const cases = casesOf(one.results)
    const summary = summaryOf(one, [...cases.values()])
    return one.variant === control
      ? { ...summary, isControl: true }
      : { ...summary, isControl: false, ...differences(base, cases, level) }
  })
}

function summaryOf(
  { problem, results, variant }: OfflineResult,
  cases: readonly CaseFacts[],
): Omit<OfflineComparison, 'isControl'> {
  const judged = results.filter(({ status }) => status !== 'error')
  const cost = meanOf(cases.map((one) => one.cost ?? null))
  const seconds = meanOf(cases.map((one) => one.seconds ?? null))
  return {
    variant,
    passed: judged.filter(({ status }) => status === 'passed').length,
    judged: judged.length,
    errors: results.length - judged.length,
    ...(problem !== undefined && { problem }),
    ...(cost !== undefined && { cost }),
    ...(seconds !== undefined && { seconds }),
  }
}

function casesOf(results: readonly TrialResult[]): Cases {
  const byCase = Map.groupBy(results, (one) => `${one.suite} / ${one.case}`)
  return new Map(
    [...byCase].map(([name, trials]) => {
      const judged = trials.filter(({ status }) => status !== 'error')
      return [
        name,
        {
          passRate: meanOf(judged.map(({ status }) => Number(status === 'passed'))),
          cost: meanOf(judged.map(({ cost = null }) => cost)),
          seconds: meanOf(judged.map(({ seconds }) => seconds)),
        },
      ]
    }),
  )
}

function differences(
  base: Cases,
  cases: Cases,
  alpha: number,
): Pick<
  OfflineComparison,
  'cases' | 'passRate' | 'costDifference' | 'secondsDifference' | 'verdict'
> {
  const pairs = (of: keyof CaseFacts): readonly (readonly [string, number])[] =>
    [...cases].flatMap(([name, facts]) => {
      const [before, now] = [base.get(name)?.[of], facts[of]]
      return before === undefined || now === undefined ? [] : [[name, now - before] as const]
    })
  const passes = pairs('passRate')
  const better = passes.filter(([, change]) => change > 0).map(([name]) => name)
  const worse = passes.filter(([, change]) => change < 0).map(([name]) => name)
  const passRate = paired(passes, alpha, true)
  const costDifference = paired(pairs('cost'), alpha, false)
  const secondsDifference = paired(pairs('seconds'), alpha, false)
  const differing = better.length + worse.length
  const isSure = differing > 0 && signTest(better.length, differing) <= alpha
  const sure = better.length > worse.length ? 'better' : 'worse'
  return {
    cases: { paired: passes.length, better, worse },
    ...(passRate && { passRate }),
    ...(costDifference && { costDifference }),
    ...(secondsDifference && { secondsDifference }),
    verdict: isSure ? sure : 'undecided',
  }
}

/** @param bounded differences of pass rates: as if one case more had got better and one worse */
function paired(
  pairs: readonly (readonly [string, number])[],
  alpha: number,
  bounded: boolean,
): PairedDifference | undefined {
  const values = pairs.map(([, change]) => change)
  const { count, mean, variance } = sampleOf(values)
  if (count === 0) return undefined
  if (count < LEAST) return { mean }
  const spread = bounded ? sampleOf([...values, -1, 1]).variance : variance
  const half = studentQuantile(1 - alpha / 2, count - 1) * Math.sqrt(spread / count)
  const [low, high] = [mean - half, mean + half]
  return { mean, interval: bounded ? [Math.max(-1, low), Math.min(1, high)] : [low, high] }
}
