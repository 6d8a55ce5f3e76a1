import { ok, type Failure, type Result } from '@amodal/sdk'
import type { Metric } from '../definition.ts'
import type { Decision, ExperimentBook, Observation, VariantFigures } from './observation.ts'
import { meanOf, sampleOf } from './sample.ts'

/** Runs of one tenant that memory holds; the oldest make room. */
const MOST = 100_000

type Row = Observation & { readonly feedback: 0 | 1 | null }

/** Observations and decisions of all tenants in the memory of this process. */
export class MemoryBooks {
  readonly #books = new Map<string, MemoryBook>()

  of(tenant: string): ExperimentBook {
    const book = this.#books.get(tenant) ?? new MemoryBook()
    this.#books.set(tenant, book)
    return book
  }

  clear(): void {
    this.#books.clear()
  }
}

const VALUES: Readonly<Record<Metric, (row: Row) => number | null>> = {
  feedback: ({ feedback }) => feedback,
  errors: ({ failed }) => Number(failed),
  cost: ({ cost }) => cost,
  latency: ({ seconds }) => seconds,
}

class MemoryBook implements ExperimentBook {
  readonly #rows = new Map<string, Row>()
  readonly #decisions = new Map<string, Decision>()

  async add(observation: Observation): Promise<Result<void, Failure>> {
    const key = JSON.stringify([observation.experiment, observation.run])
    if (!this.#rows.has(key)) this.#rows.set(key, { ...observation, feedback: null })
    const [oldest] = this.#rows.keys()
    if (this.#rows.size > MOST && oldest !== undefined) this.#rows.delete(oldest)
    return ok(undefined)
  }

  async rate({
    rating,
    run,
    session,
  }: Parameters<ExperimentBook['rate']>[0]): Promise<Result<void, Failure>> {
    for (const [key, row] of this.#rows)
      if (row.session === session && row.run === run)
        this.#rows.set(key, { ...row, feedback: rating })
    return ok(undefined)
  }

  async figures({
    name,
    version,
  }: {
    readonly name: string
    readonly version: string
  }): Promise<Result<readonly VariantFigures[], Failure>> {
    const rows = [...this.#rows.values()].filter(
      (row) => row.experiment === name && row.version === version,
    )
    const units = [...Map.groupBy(rows, ({ principal }) => principal).values()].filter(
      (own) => new Set(own.map(({ variant }) => variant)).size === 1,
    )
    const byVariant = Map.groupBy(units, ([first]) => first?.variant ?? '')
    return ok([...byVariant].map(([variant, own]) => figuresOf(variant, own)))
  }

  async decisions(): Promise<Result<readonly Decision[], Failure>> {
    return ok([...this.#decisions.values()])
  }

  async decide(decision: Decision): Promise<Result<boolean, Failure>> {
    if (this.#decisions.has(decision.experiment)) return ok(false)
    this.#decisions.set(decision.experiment, decision)
    return ok(true)
  }
}

function figuresOf(variant: string, units: readonly (readonly Row[])[]): VariantFigures {
  const sample = (metric: Metric) =>
    sampleOf(units.flatMap((rows) => meanOf(rows.map(VALUES[metric])) ?? []))
  return {
    variant,
    principals: units.length,
    runs: units.reduce((sum, rows) => sum + rows.length, 0),
    metrics: {
      feedback: sample('feedback'),
      errors: sample('errors'),
      cost: sample('cost'),
      latency: sample('latency'),
    },
  }
}
