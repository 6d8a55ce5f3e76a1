/**
 * The chance that at least one of `k` runs passes, from `passed` of `total` runs (unbiased).
 *
 * @returns from 0 to 1; `undefined` where there are fewer than `k` runs
 * @example passAtK(4, 1, 2) // 0.5
 * @see https://arxiv.org/abs/2107.03374, section 2.1
 */
export function passAtK(total: number, passed: number, k: number): number | undefined {
  // 1 - C(total - passed, k) / C(total, k)
  const none = passHatK(total, total - passed, k)
  return none === undefined ? undefined : 1 - none
}

/**
 * The chance that all of `k` runs pass, from `passed` of `total` runs (unbiased):
 * `C(passed, k) / C(total, k)`.
 *
 * @returns from 0 to 1; `undefined` where there are fewer than `k` runs
 * @example passHatK(4, 2, 2) // 0.16666666666666666
 * @see https://arxiv.org/abs/2406.12045, section 3
 */
export function passHatK(total: number, passed: number, k: number): number | undefined {
  if (![total, passed, k].every(Number.isInteger)) return undefined
  if (k < 1 || k > total || passed < 0 || passed > total) return undefined
  if (passed < k) return 0
  // As a product of fractions, no binomial gets too large for a double.
  let chance = 1
  for (let drawn = 0; drawn < k; drawn++) chance *= (passed - drawn) / (total - drawn)
  return chance
}

/**
 * Wilson's score interval of a share, which holds also for few runs and for shares near 0 and 1.
 *
 * @param z how sure: 1.96 for 95 %
 * @returns the ends of the interval, from 0 to 1; all of it where there are no runs
 * @example wilson(8, 10) // [0.4901…, 0.9433…]
 */
export function wilson(
  passed: number,
  total: number,
  z = 1.96,
): readonly [low: number, high: number] {
  if (total <= 0) return [0, 1]
  const share = passed / total
  const square = (z * z) / total
  const centre = (share + square / 2) / (1 + square)
  const half = (z / (1 + square)) * Math.sqrt((share * (1 - share)) / total + square / (4 * total))
  return [Math.max(0, centre - half), Math.min(1, centre + half)]
}
