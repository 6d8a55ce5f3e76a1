import { describe, expect, test } from 'vitest'
import { isWhole, newRandom } from '../../../tests/support/random.ts'
import { NO_SAMPLE, type Sample, type VariantFigures } from '../src/storage/observation.ts'
import { sampleOf } from '../src/storage/sample.ts'
import { differenceOf } from '../src/verdict/confidence.ts'
import { verdictsOf } from '../src/verdict/verdict.ts'
import { firstVerdict, normal, type Simulation } from './simulation.ts'

/** Simulated experiments of each kind. */
const MANY = isWhole() ? 5_000 : 300
const DAYS = 60
/** What is promised is 5 %; the rest is what drawing may add. */
const MOST_FALSE = 0.055

const binary = (rate: number, lift: number): Simulation => ({
  metric: 'feedback',
  days: DAYS,
  perDay: 20,
  draw: (random, isVariant) => Number(random.chance(rate + (isVariant ? lift : 0))),
})
const cost = (spread: number, factor: number): Simulation => ({
  metric: 'cost',
  days: DAYS,
  perDay: 20,
  draw: (random, isVariant, habit) =>
    0.01 * Math.exp(spread * normal(random) + 0.5 * habit) * (isVariant ? factor : 1),
})

function simulated(simulation: Simulation) {
  const random = newRandom().branch('experiments')
  const found = Array.from({ length: MANY }, () => firstVerdict(simulation, random))
  const share = (verdict: string): number =>
    found.filter((one) => one?.verdict === verdict).length / MANY
  const days = found.flatMap((one) => one?.day ?? []).toSorted((a, b) => a - b)
  const day = days[Math.floor(days.length / 2)]
  return { better: share('better'), worse: share('worse'), day }
}

// Some of these compute for a minute with all of their simulations.
describe('looking every day for 60 days', { timeout: 600_000 }, () => {
  test.each<[string, Simulation]>([
    ['ratings', binary(0.7, 0)],
    ['errors that are rare', { ...binary(0.03, 0), metric: 'errors' }],
    ['costs', cost(1.2, 1)],
    ['costs with a long tail', cost(1.8, 1)],
    ['costs of people who return', { ...cost(1, 1), returning: 0.3 }],
    ['ratings of people who return', { ...binary(0.7, 0), returning: 0.3 }],
  ])('finds no difference in %s where there is none', (name, simulation) => {
    const { better, worse } = simulated(simulation)
    process.stdout.write(`${name}: ${((better + worse) * 100).toFixed(2)} % of ${MANY} false\n`)
    expect(better + worse).toBeLessThanOrEqual(MOST_FALSE)
  })

  test.each<[string, Simulation, 'better' | 'worse', number]>([
    ['ratings that are 10 points better', binary(0.7, 0.1), 'better', 0.95],
    ['ratings that are 10 points worse', binary(0.7, -0.1), 'worse', 0.95],
    ['costs that are a third lower', cost(1.2, 0.67), 'better', 0.95],
    ['costs that are half as high again', cost(1.2, 1.5), 'worse', 0.95],
  ])('finds %s, with the right sign', (name, simulation, verdict, power) => {
    const found = simulated(simulation)
    const other = verdict === 'better' ? 'worse' : 'better'
    process.stdout.write(
      `${name}: ${(found[verdict] * 100).toFixed(1)} % found, median day ${found.day ?? 0}\n`,
    )
    expect(found[verdict]).toBeGreaterThanOrEqual(power)
    expect(found[other]).toBeLessThanOrEqual(0.01)
  })
})

const ratings = (up: number, down: number): Sample =>
  sampleOf([...Array<number>(up).fill(1), ...Array<number>(down).fill(0)])

describe('an interval', () => {
  const options = { alpha: 0.05, bounded: true }

  test('is wider than that of a single look, and gets narrower with more people', () => {
    const width = (factor: number): number => {
      const found = differenceOf(
        ratings(50 * factor, 50 * factor),
        ratings(60 * factor, 40 * factor),
        options,
      )
      return (found?.high ?? Infinity) - (found?.low ?? -Infinity)
    }
    const single = 2 * 1.96 * Math.sqrt((0.25 + 0.24) / 100)
    expect(width(1)).toBeGreaterThan(single)
    expect(width(1)).toBeLessThan(2.2 * single)
    expect(width(10)).toBeLessThan(width(1) / 2.5)
  })

  test('is wider where less of a false verdict is accepted', () => {
    const width = (alpha: number): number => {
      const found = differenceOf(ratings(50, 50), ratings(60, 40), { ...options, alpha })
      return (found?.high ?? 0) - (found?.low ?? 0)
    }
    expect(width(0.01)).toBeGreaterThan(width(0.05))
  })

  test('knows that all ratings of a few people are no certainty', () => {
    const found = differenceOf(ratings(5, 0), ratings(0, 5), options)
    expect(found?.low).toBeLessThan(0)
    expect(found?.high).toBeGreaterThan(0)
    expect(differenceOf(ratings(1, 0), ratings(0, 5), options)).toBeUndefined()
  })

  test('of values that do not vary is their difference', () => {
    const fixed = (value: number) => sampleOf(Array<number>(100).fill(value))
    const free = { ...options, bounded: false }
    const found = differenceOf(fixed(0.02), fixed(0.01), free)
    expect(found?.difference).toBeCloseTo(-0.01)
    expect(found?.high).toBeLessThan(0)
    const same = differenceOf(fixed(0.1 + 0.2), fixed(0.3), free)
    expect(same?.low).toBeLessThanOrEqual(0)
    expect(same?.high).toBeGreaterThanOrEqual(0)
  })
})

describe('a verdict', () => {
  const variant = (name: string) => ({ name, skills: [], knowledge: [], changes: [] })
  const figures = (name: string, errors: Sample): VariantFigures => ({
    variant: name,
    principals: errors.count,
    runs: errors.count,
    metrics: { feedback: NO_SAMPLE, errors, cost: NO_SAMPLE, latency: NO_SAMPLE },
  })
  const plan = {
    alpha: 0.05,
    control: 'base',
    metric: 'errors' as const,
    minPrincipals: 50,
    variants: [variant('base'), variant('new')],
  }

  test('waits for the people that each variant needs', () => {
    const few = [figures('base', ratings(49, 0)), figures('new', ratings(0, 500))]
    expect(verdictsOf(plan, few)[1]).toMatchObject({ verdict: 'too_few' })
    const enough = [figures('base', ratings(50, 0)), figures('new', ratings(0, 500))]
    expect(verdictsOf(plan, enough)[1]).toMatchObject({ verdict: 'better' })
  })

  test('knows of which metric less is better', () => {
    const more = [figures('base', ratings(5, 495)), figures('new', ratings(100, 400))]
    expect(verdictsOf(plan, more)[1]).toMatchObject({ verdict: 'worse' })
    expect(verdictsOf({ ...plan, metric: 'feedback' }, more)[1]).toMatchObject({
      verdict: 'too_few',
    })
  })

  test('of several variants is harder to get', () => {
    const two = [figures('base', ratings(120, 380)), figures('new', ratings(78, 422))]
    const width = (variants: readonly ReturnType<typeof variant>[]): number => {
      const { interval } = verdictsOf({ ...plan, variants }, two)[1]?.metrics.errors ?? {}
      return (interval?.high ?? 0) - (interval?.low ?? 0)
    }
    expect(width([...plan.variants, variant('third')])).toBeGreaterThan(width(plan.variants))
  })

  test('has no figures of a variant that nobody had', () => {
    expect(verdictsOf(plan, [])).toMatchObject([
      { variant: 'base', isControl: true, principals: 0 },
      { variant: 'new', verdict: 'too_few', metrics: { errors: { count: 0 } } },
    ])
  })
})
