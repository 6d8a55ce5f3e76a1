import { Database, unwrap, type Scope } from '@amodal/sdk'
import { runQuery, sql } from '@amodal/sdk/database'
import { z } from 'zod'
import { PRICES } from './world.ts'

/** What one run came to. */
export interface Sums {
  readonly agent: 'main' | 'sub-agent'
  readonly calls: number
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Billionths of a dollar. */
  readonly cost: number | null
  readonly unpriced: number
}

/** Sums by tenant and run. */
export type SumsByRun = ReadonlyMap<string, Sums>

const Spent = z.looseObject({
  model: z.object({ model: z.string() }),
  usage: z.object({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number(),
    cacheWrite: z.number(),
  }),
})
const Body = z.looseObject({
  kind: z.string(),
  run: z.string(),
  code: z.string().optional(),
  spent: Spent.optional(),
})
type Spent = z.output<typeof Spent>

const limit = (): AbortSignal => AbortSignal.timeout(60_000)
const nameOf = (tenant: string, run: string): string => `${tenant} ${run}`

/** By the list of prices, in whole billionths: dollars for a million tokens are 1,000 of a token. */
function priceOf({ model: { model }, usage }: Spent): number | null {
  const list: Readonly<Record<string, { input: number; output: number; cacheRead?: number }>> =
    PRICES
  const price = list[model]
  if (!price) return null
  const { input, output, cacheRead = input } = price
  const fresh = usage.input - usage.cacheRead
  return fresh * input * 1_000 + usage.cacheRead * cacheRead * 1_000 + usage.output * output * 1_000
}

const EMPTY: Omit<Sums, 'agent'> = {
  calls: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: null,
  unpriced: 0,
}

export function plus<T extends Omit<Sums, 'agent'>>(sums: T, more: Omit<Sums, 'agent'>): T {
  return {
    ...sums,
    calls: sums.calls + more.calls,
    input: sums.input + more.input,
    output: sums.output + more.output,
    cacheRead: sums.cacheRead + more.cacheRead,
    cacheWrite: sums.cacheWrite + more.cacheWrite,
    cost: more.cost === null ? sums.cost : (sums.cost ?? 0) + more.cost,
    unpriced: sums.unpriced + more.unpriced,
  }
}

/** The sum of all runs, or of those of one tenant. */
export const total = (runs: SumsByRun, tenant?: string): Omit<Sums, 'agent'> =>
  [...runs]
    .filter(([name]) => tenant === undefined || name.startsWith(`${tenant} `))
    .reduce((sum, [, run]) => plus(sum, run), EMPTY)

export interface JournalSums {
  /** Runs that have ended. */
  readonly ended: SumsByRun
  /** Runs that have not, and messages that wait. */
  readonly open: number
}

/** Adds up what the journal says, entry by entry. */
export async function journalSums(scope: Scope): Promise<JournalSums> {
  const entries = unwrap(
    await runQuery(
      scope.get(Database),
      sql<{ tenant: string; parent: string | null; body: string }>`
select l.tenant, l.parent, e.body from sessions_entry e join sessions_lane l using (lane)
order by l.lane, e.seq`,
      limit(),
    ),
    ({ message }) => message,
  )
  const open = new Map<string, Sums>()
  const ended = new Map<string, Sums>()
  for (const { tenant, parent, body } of entries) {
    const parsed: unknown = JSON.parse(body)
    const entry = Body.parse(parsed)
    const name = nameOf(tenant, entry.run)
    if (entry.kind === 'user_message')
      open.set(name, { ...EMPTY, agent: parent === null ? 'main' : 'sub-agent' })
    const sums = open.get(name)
    if (!sums) continue // behind its end
    if (entry.kind === 'run_ended') {
      open.delete(name)
      ended.set(name, sums)
      continue
    }
    const spent = entry.kind === 'model_reply' ? Spent.parse(parsed) : entry.spent
    // The calls of a sub-agent are in the journal of its own session as well.
    if (!spent || entry.code === 'child_spent') continue
    const cost = priceOf(spent)
    open.set(name, plus(sums, { ...spent.usage, calls: 1, cost, unpriced: cost === null ? 1 : 0 }))
  }
  const [waiting] = unwrap(
    await runQuery(
      scope.get(Database),
      sql<{ waiting: number }>`
select count(*)::bigint as waiting from sessions_lane where messages > 0 or controls > 0`,
      limit(),
    ),
    ({ message }) => message,
  )
  return { ended, open: open.size + (waiting?.waiting ?? 0) }
}

/** What the rows of the plugin say. */
export async function rowSums(scope: Scope): Promise<SumsByRun> {
  const rows = unwrap(
    await runQuery(
      scope.get(Database),
      sql<Omit<Sums, 'agent'> & { tenant: string; run: string; agent: string }>`
select tenant, run, agent, calls, input_tokens as input, output_tokens as output,
  cache_read as "cacheRead", cache_write as "cacheWrite", cost, unpriced from usage_run`,
      limit(),
    ),
    ({ message }) => message,
  )
  const sums = new Map(
    rows.map(({ tenant, run, agent, ...counts }): [string, Sums] => [
      nameOf(tenant, run),
      { ...counts, agent: agent === 'main' ? 'main' : 'sub-agent' },
    ]),
  )
  if (sums.size < rows.length)
    throw new Error(`${rows.length} rows for ${sums.size} runs: some are counted twice`)
  return sums
}
