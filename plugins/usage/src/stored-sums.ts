import type { CallSums } from './run-usage.ts'

/** Sums of calls as a row has them: without what is zero, or unknown. */
export type StoredSums = Pick<CallSums, 'name'> & Partial<CallSums>

const NONE: Omit<CallSums, 'name'> = {
  calls: 0,
  errors: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: null,
  unpriced: 0,
  times: [],
}

export const storedSums = ({ name, times, ...numbers }: CallSums): StoredSums => ({
  name,
  ...Object.fromEntries(
    Object.entries(numbers).filter(([, value]) => value !== 0 && value !== null),
  ),
  // A cost of zero is known, which is not the same as none.
  ...(numbers.cost === 0 && { cost: 0 }),
  ...(times.length > 0 && { times }),
})

export const sumsOf = (stored: StoredSums): CallSums => ({ ...NONE, ...stored })
