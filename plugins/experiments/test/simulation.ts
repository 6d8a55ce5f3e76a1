import type { Random } from '../../../tests/support/random.ts'
import type { Metric } from '../src/definition.ts'
import { NO_SAMPLE, type Sample } from '../src/storage/observation.ts'
import { sampleOf } from '../src/storage/sample.ts'
import { verdictsOf, type VerdictKind } from '../src/verdict/verdict.ts'

/** One experiment of many: its principals come day by day, and somebody looks every evening. */
export interface Simulation {
  readonly metric: Metric
  readonly days: number
  /** New principals of each variant. */
  readonly perDay: number
  /** One run of a principal. @param habit of the principal, normally distributed */
  readonly draw: (random: Random, isVariant: boolean, habit: number) => number
  /** Chance that a principal of an earlier day has another run today. */
  readonly returning?: number
}

interface Principal {
  readonly habit: number
  sum: number
  runs: number
}

/** A standard normal number (Box and Muller). */
export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())

/** The first verdict that somebody who looks every day gets, and its day. */
export function firstVerdict(
  { days, draw, metric, perDay, returning = 0 }: Simulation,
  random: Random,
): { readonly verdict: VerdictKind; readonly day: number } | undefined {
  const arms: readonly Principal[][] = [[], []]
  for (let day = 1; day <= days; day++) {
    for (const [index, principals] of arms.entries()) {
      const run = (principal: Principal): void => {
        principal.sum += draw(random, index === 1, principal.habit)
        principal.runs++
      }
      if (returning > 0)
        for (const principal of principals) if (random.chance(returning)) run(principal)
      for (let at = 0; at < perDay; at++) {
        const principal: Principal = { habit: normal(random), sum: 0, runs: 0 }
        run(principal)
        principals.push(principal)
      }
    }
    const verdict = verdictOf(metric, arms)
    if (verdict === 'better' || verdict === 'worse') return { verdict, day }
  }
  return undefined
}

function verdictOf(metric: Metric, arms: readonly (readonly Principal[])[]): VerdictKind {
  const names = ['base', 'new']
  const variants = names.map((name) => ({ name, skills: [], knowledge: [], changes: [] }))
  const figures = arms.map((principals, index) => {
    const sample: Sample = sampleOf(principals.map(({ runs, sum }) => sum / runs))
    const none = { feedback: NO_SAMPLE, errors: NO_SAMPLE, cost: NO_SAMPLE, latency: NO_SAMPLE }
    return {
      variant: names[index] ?? '',
      principals: principals.length,
      runs: principals.length,
      metrics: { ...none, [metric]: sample },
    }
  })
  const plan = { alpha: 0.05, control: 'base', metric, minPrincipals: 50, variants }
  return verdictsOf(plan, figures)[1]?.verdict ?? 'undecided'
}
