import { describe, expect, test } from 'vitest'
import type { TrialResult } from '@amodal/plugin-evals/tokens'
import { compareVariants } from '../src/offline/compare.ts'
import { normalQuantile, signTest, studentQuantile } from '../src/offline/quantile.ts'

const result = (
  name: string,
  status: TrialResult['status'],
  more: Partial<TrialResult> = {},
): TrialResult => ({
  index: 0,
  suite: 'tone',
  case: name,
  variant: '',
  trial: 0,
  status,
  lines: [],
  turns: [],
  calls: [],
  tokens: { input: 1, output: 1 },
  modelCalls: 1,
  seconds: 1,
  at: '2026-05-01T09:00:00Z',
  ...more,
})
const variant = (name: string) => ({ name, skills: [], knowledge: [], changes: [] })
const plan = { alpha: 0.05, control: 'base', variants: [variant('base'), variant('new')] }
const cases = (passes: readonly boolean[], more: Partial<TrialResult> = {}) =>
  passes.map((passed, at) => result(`c${at}`, passed ? 'passed' : 'failed', more))

describe('quantiles', () => {
  test('are those of the tables', () => {
    expect(normalQuantile(0.975)).toBeCloseTo(1.959964, 5)
    expect(normalQuantile(0.01)).toBeCloseTo(-2.326348, 5)
    expect(studentQuantile(0.975, 9)).toBeCloseTo(2.262, 2)
    expect(studentQuantile(0.975, 2)).toBeGreaterThan(4.1)
  })
  test('of coins are exact', () => {
    expect(signTest(5, 5)).toBeCloseTo(0.0625)
    expect(signTest(1, 6)).toBeCloseTo(0.21875)
    expect(signTest(3, 6)).toBe(1)
  })
})

describe('a comparison', () => {
  test('pairs cases, and is sure from six that all go one way', () => {
    const compared = (count: number) =>
      compareVariants(plan, [
        { variant: 'base', results: cases(Array<boolean>(count).fill(false)) },
        { variant: 'new', results: cases(Array<boolean>(count).fill(true)) },
      ])[1]
    expect(compared(5)).toMatchObject({ verdict: 'undecided', cases: { paired: 5 } })
    expect(compared(6)).toMatchObject({ verdict: 'better', passRate: { mean: 1 } })
    expect(compared(2)?.passRate).not.toHaveProperty('interval')
  })

  test('counts what could not be judged on neither side', () => {
    const [, now] = compareVariants(plan, [
      { variant: 'base', results: cases([true, true, true, true]) },
      {
        variant: 'new',
        results: [...cases([true, false, true]), result('c3', 'error')],
        problem: 'it stopped',
      },
    ])
    expect(now).toMatchObject({
      problem: 'it stopped',
      passed: 2,
      judged: 3,
      errors: 1,
      cases: { paired: 3, better: [], worse: ['tone / c1'] },
      verdict: 'undecided',
    })
  })

  test('has differences of cost and time by case, where they are known', () => {
    const priced = [0.1, 0.2, 0.3, 0.4].map((cost, at) => result(`c${at}`, 'passed', { cost }))
    const dearer = priced.map((one) => ({ ...one, cost: (one.cost ?? 0) + 0.1, seconds: 2 }))
    const [, now] = compareVariants(plan, [
      { variant: 'base', results: priced },
      { variant: 'new', results: dearer },
    ])
    expect(now?.costDifference?.mean).toBeCloseTo(0.1)
    expect(now?.costDifference?.interval?.[0]).toBeCloseTo(0.1)
    expect(now?.secondsDifference).toMatchObject({ mean: 1 })
    const [, unknown] = compareVariants(plan, [
      { variant: 'base', results: cases([true]) },
      { variant: 'new', results: cases([true]) },
    ])
    expect(unknown).not.toHaveProperty('costDifference')
  })
})
