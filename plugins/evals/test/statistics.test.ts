import { describe, expect, test } from 'vitest'
import { passAtK, passHatK, wilson } from '../src/statistics.ts'

/** Of all ways to draw `k` of the runs, the share that `isMet` holds for. */
function shareOfDraws(
  total: number,
  passed: number,
  k: number,
  isMet: (passes: number) => boolean,
): number {
  let [draws, met] = [0, 0]
  for (let mask = 0; mask < 2 ** total; mask++) {
    const drawn = Array.from({ length: total }, (_, run) => run).filter((run) => mask & (1 << run))
    if (drawn.length !== k) continue
    draws++
    if (isMet(drawn.filter((run) => run < passed).length)) met++
  }
  return met / draws
}

describe('the chance of k runs', () => {
  test('is what counting all draws gives', () => {
    for (let total = 1; total <= 7; total++)
      for (let passed = 0; passed <= total; passed++)
        for (let k = 1; k <= total; k++) {
          const what = `${passed} of ${total}, ${k}`
          const any = shareOfDraws(total, passed, k, (passes) => passes > 0)
          const all = shareOfDraws(total, passed, k, (passes) => passes === k)
          expect(passAtK(total, passed, k), what).toBeCloseTo(any, 12)
          expect(passHatK(total, passed, k), what).toBeCloseTo(all, 12)
        }
  })

  test('stays exact for many runs', () => {
    expect(passHatK(10_000, 5_000, 5_000)).toBe(0)
    expect(passHatK(10_000, 10_000, 9_999)).toBe(1)
    expect(passAtK(2_000, 1, 1_000)).toBeCloseTo(0.5, 9)
  })

  test('is not known where there are fewer than k runs, or numbers that are none of runs', () => {
    for (const one of [passAtK, passHatK])
      for (const [total, passed, k] of [
        [2, 2, 3],
        [0, 0, 1],
        [2, 1, 0],
        [2, 3, 1],
        [2, -1, 1],
        [2.5, 1, 1],
        [2, NaN, 1],
      ] as const)
        expect(one(total, passed, k), `${one.name}(${total}, ${passed}, ${k})`).toBeUndefined()
  })
})

describe("Wilson's interval", () => {
  test('is the one of the literature', () => {
    const [low, high] = wilson(8, 10)
    expect(low).toBeCloseTo(0.4902, 4)
    expect(high).toBeCloseTo(0.9433, 4)
  })

  test('stays within 0 and 1, and is open at one end where all runs agree', () => {
    const [low, high] = wilson(10, 10)
    expect(low).toBeCloseTo(0.7225, 4)
    expect(high).toBe(1)
    expect(wilson(0, 10)[0]).toBe(0)
    expect(wilson(0, 10)[1]).toBeCloseTo(0.2775, 4)
  })

  test('gets narrower with more runs and with less certainty', () => {
    const width = ([low, high]: readonly [number, number]): number => high - low
    expect(width(wilson(80, 100))).toBeLessThan(width(wilson(8, 10)))
    expect(width(wilson(8, 10, 1))).toBeLessThan(width(wilson(8, 10)))
  })

  test('without runs says nothing', () => {
    expect(wilson(0, 0)).toEqual([0, 1])
  })
})
