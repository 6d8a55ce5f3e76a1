import { Database, unwrap } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { DatabaseUsage } from '../src/database-store.ts'
import { MemoryUsage } from '../src/memory-store.ts'
import type { Group, UsageQuery } from '../src/report.ts'
import type { CallSums, StoredRun } from '../src/run-usage.ts'
import { boot, PGLITE } from './support.ts'

const signal = AbortSignal.timeout(120_000)
const messageOf = ({ message }: { readonly message: string }): string => message
const HOUR = 3_600_000
const FROM = Date.parse('2026-05-01T00:00:00Z')

/** Numbers that look random, and are the same each time. */
const spread = (n: number, most: number): number => (n * 7_919 + 13) % most

const callsOf = (name: string, n: number): CallSums => ({
  name,
  calls: 1 + spread(n, 3),
  errors: spread(n, 2),
  input: spread(n, 5_000),
  output: spread(n, 700),
  cacheRead: spread(n, 90),
  cacheWrite: spread(n, 40),
  cost: n % 5 === 0 ? null : spread(n, 90_000_000),
  unpriced: n % 5 === 0 ? 1 : 0,
  times: Array.from({ length: spread(n, 4) }, (_, call) => spread(n * 31 + call, 9_000)),
})

/** A run whose facts follow from its number. */
function runOf(n: number): StoredRun {
  const models = [callsOf('p/a', n), ...(n % 3 === 0 ? [callsOf('p/b', n + 1)] : [])]
  const sum = (of: (one: CallSums) => number): number =>
    models.reduce((total, one) => total + of(one), 0)
  const costs = models.flatMap(({ cost }) => cost ?? [])
  return {
    tenant: n % 7 === 0 ? 'other' : 'acme',
    run: `run_${String(n).padStart(4, '0')}`,
    session: `sess_${n % 20}`,
    principal: `p${n % 60}`,
    agent: n % 4 === 0 ? 'checker' : 'main',
    automation: n % 6 === 0 ? 'daily' : null,
    profile: n % 11 === 0 ? 'report' : null,
    startedAt: FROM + n * HOUR - 500,
    endedAt: FROM + n * HOUR,
    ms: spread(n, 60_000),
    waitedMs: 0,
    modelMs: 10,
    reason: n % 8 === 0 ? 'error' : 'done',
    error: n % 8 === 0 ? 'MODEL_FAILED' : null,
    calls: sum(({ calls }) => calls),
    callErrors: sum(({ errors }) => errors),
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    cacheRead: sum(({ cacheRead }) => cacheRead),
    cacheWrite: sum(({ cacheWrite }) => cacheWrite),
    cost: costs.length === 0 ? null : costs.reduce((total, cost) => total + cost, 0),
    unpriced: sum(({ unpriced }) => unpriced),
    models,
    tools: n % 2 === 0 ? [callsOf('look', n), callsOf('write', n + 2)] : [],
    seq: n,
  }
}

const GROUPS: readonly Group[] = [
  ...(['model', 'agent', 'tool', 'principal', 'automation', 'profile', 'tenant'] as const),
]
const QUERIES: readonly UsageQuery[] = GROUPS.flatMap((group): readonly UsageQuery[] => {
  const query = { from: FROM, to: FROM + 400 * HOUR, group }
  return [
    { ...query, by: 'day' },
    { ...query, by: 'hour', to: FROM + 30 * HOUR },
    { ...query, by: 'day', model: 'p/b', agent: 'main' },
    { ...query, by: 'day', tool: 'write', automation: 'daily', principal: 'p6' },
  ]
})

test('a database and memory give the same reports and pages, percentiles included', async () => {
  const door = await boot({ storage: PGLITE() })
  const database = new DatabaseUsage(door.scope.get(Database))
  const memory = new MemoryUsage()
  const runs = Array.from({ length: 400 }, (_, n) => runOf(n))
  for (const store of [database, memory]) {
    unwrap(await store.add(runs, signal), messageOf)
    // The same runs a second time, with other sums, change nothing.
    unwrap(
      await store.add(
        runs.map((run) => ({ ...run, input: 1 })),
        signal,
      ),
      messageOf,
    )
  }
  for (const query of QUERIES)
    for (const tenant of ['acme', 'other', 'nobody', undefined]) {
      const [stored, held] = await Promise.all([
        database.report(tenant, query, signal),
        memory.report(tenant, query),
      ])
      expect([query, tenant, unwrap(stored, messageOf)]).toEqual([
        query,
        tenant,
        unwrap(held, messageOf),
      ])
    }
  const all = { from: FROM, to: FROM + 400 * HOUR }
  const after = { endedAt: FROM + 100 * HOUR, run: 'run_0100' }
  for (const page of [{ limit: 7 }, { limit: 50, after }])
    expect(unwrap(await memory.page('acme', all, page), messageOf)).toMatchObject(
      unwrap(await database.page('acme', all, page, signal), messageOf),
    )
  const sessions = ['sess_1', 'sess_7', 'sess_99']
  expect(unwrap(await database.latest('acme', sessions, signal), messageOf)).toEqual(
    unwrap(await memory.latest('acme', sessions), messageOf),
  )
  const before = FROM + 50 * HOUR
  expect(unwrap(await database.prune(before, signal), messageOf)).toBe(
    unwrap(await memory.prune(before), messageOf),
  )
})
