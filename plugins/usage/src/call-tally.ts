import type { Usage } from '@amodal/sdk'
import type { CallSums } from './run-usage.ts'

/** Times of one run and one name that are stored: percentiles do not need more. */
const MOST_TIMES = 1_000

interface Call {
  readonly isError: boolean
  readonly usage?: Usage
  readonly ms?: number | undefined
  /** Billionths of a dollar. */
  readonly cost?: number | undefined
  /** `false`: a call of a model whose price nobody knew. */
  readonly isPriced?: boolean
}

type Sums = { -readonly [K in keyof Omit<CallSums, 'times'>]: CallSums[K] } & { times: number[] }

const emptySums = (name: string): Sums => ({
  name,
  calls: 0,
  errors: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: null,
  unpriced: 0,
  times: [],
})

/** Sums of calls by name. */
export class CallTally {
  readonly #sums = new Map<string, Sums>()

  add(name: string, { isError, usage, ms, cost, isPriced = true }: Call): void {
    const sums = this.#sums.get(name) ?? emptySums(name)
    this.#sums.set(name, sums)
    sums.calls++
    if (isError) sums.errors++
    if (!isPriced) sums.unpriced++
    if (cost !== undefined) sums.cost = (sums.cost ?? 0) + cost
    if (ms !== undefined && sums.times.length < MOST_TIMES) sums.times.push(Math.round(ms))
    if (!usage) return
    sums.input += usage.input
    sums.output += usage.output
    sums.cacheRead += usage.cacheRead
    sums.cacheWrite += usage.cacheWrite
  }

  sums(): readonly CallSums[] {
    return [...this.#sums.values()]
  }

  total(): Omit<CallSums, 'name' | 'times'> {
    const total = emptySums('')
    for (const sums of this.#sums.values()) {
      for (const field of COUNTS) total[field] += sums[field]
      if (sums.cost !== null) total.cost = (total.cost ?? 0) + sums.cost
    }
    const { name: _, times: __, ...counts } = total
    return counts
  }
}

const COUNTS = [
  'calls',
  'errors',
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'unpriced',
] as const
