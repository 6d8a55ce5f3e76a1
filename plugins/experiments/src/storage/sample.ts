import { NO_SAMPLE, type Sample } from './observation.ts'

/** Mean and variance of values; numerically stable, in one pass. */
export function sampleOf(values: readonly number[]): Sample {
  let mean = 0
  let squares = 0
  for (const [index, value] of values.entries()) {
    const distance = value - mean
    mean += distance / (index + 1)
    squares += distance * (value - mean)
  }
  if (values.length === 0) return NO_SAMPLE
  return {
    count: values.length,
    mean,
    variance: values.length > 1 ? squares / (values.length - 1) : 0,
  }
}

/** `undefined` where there is nothing to take it of. */
export const meanOf = (values: readonly (number | null)[]): number | undefined => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0) / known.length
}
