/** Coefficients of a rational approximation by P. J. Acklam; relative error below 1.2e-9. */
const A = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716,
  2.506628277459239,
]
const B = [
  -54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572,
  1,
]
const C = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734,
  4.374664141464968, 2.938163982698783,
]
const D = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1]
const TAIL = 0.02425

const polynomial = (coefficients: readonly number[], x: number): number =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0)

/** The value below which a standard normal lies with this probability. */
export function normalQuantile(probability: number): number {
  if (probability > 0.5) return -normalQuantile(1 - probability)
  if (probability < TAIL) {
    const x = Math.sqrt(-2 * Math.log(probability))
    return polynomial(C, x) / polynomial(D, x)
  }
  const x = probability - 0.5
  return (x * polynomial(A, x * x)) / polynomial(B, x * x)
}

/**
 * The same of Student's t (Cornish and Fisher's expansion), within 4 % from two degrees of freedom.
 */
export function studentQuantile(probability: number, degrees: number): number {
  const z = normalQuantile(probability)
  return (
    z +
    (z ** 3 + z) / (4 * degrees) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * degrees ** 3)
  )
}

/**
 * How likely it is that so many of `total` coins or more show the same side, two-sided: the exact
 * sign test.
 */
export function signTest(more: number, total: number): number {
  const extreme = Math.max(more, total - more)
  let chance = 0
  let term = 0.5 ** total
  for (let heads = 0; heads <= total; heads++) {
    if (heads >= extreme) chance += term
    term = (term * (total - heads)) / (heads + 1)
  }
  return Math.min(1, 2 * chance)
}
