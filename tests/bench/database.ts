/**
 * What a turn costs the database: statements, transactions, bytes of write-ahead log, processor
 * time of Postgres, and bytes that stay; for a text turn, one with a tool, an agent run, and a run
 * of an automation that an event starts. One instance; each turn in a session of its own.
 *
 *     node tests/bench/database.ts
 *     node tests/bench/database.ts --statements    and which statements these are
 */

import { parseArgs } from 'node:util'

import { withBench } from './adapters.ts'
import { DatabaseMeter, type DatabaseCosts } from './database-costs.ts'
import { startAutomations, startRuns } from './queued.ts'
import { keepResults } from './results.ts'
import { cleanLoad, type ServerProcess } from './server-process.ts'
import { say } from './vocabulary.ts'

const turns = 1_000
const clients = 10

interface Statements {
  readonly query: string
  readonly calls: number
  /** Milliseconds in which the database worked on them. */
  readonly ms: number
}

const { values } = parseArgs({ options: { statements: { type: 'boolean', default: false } } })

await withBench(
  async (bench) => {
    const database = await bench.database()
    const server = await bench.start('amodal-pg', {
      database,
      plugins: [['automations', { webhooks: { perMinute: 1_000_000, perAddress: 1_000_000 } }]],
      files: {
        'automations/hook.json': JSON.stringify({ prompt: say.text(20), trigger: 'webhook' }),
      },
    })
    const meter = await DatabaseMeter.open(database)
    await meter.query('create extension pg_stat_statements')
    const chat = (message: string) => async (): Promise<void> => {
      const load = { clients, message, turns: turns / clients, 'turns-per-session': 1 }
      await cleanLoad(server, load)
    }
    const kinds: Readonly<Record<string, () => Promise<void>>> = {
      'text turn': chat(say.text(20)),
      'turn with one tool': chat(say.tool()),
      'agent run': () => startRuns([server], meter, turns),
      'automation run': () => startAutomations([server], meter, turns),
    }
    const found = []
    for (const [kind, work] of Object.entries(kinds)) {
      await work() // the first time, tables are small and plans are made
      found.push({ kind, ...(await measured(meter, server, work)) })
    }
    await keepResults('database', [], found)
    console.log(table(found))
    if (values.statements)
      for (const { kind, statements } of found) {
        console.log(`\n${kind}`)
        for (const { query, calls, ms } of statements)
          console.log(
            `${(calls / turns).toFixed(2).padStart(7)} ${(ms / turns).toFixed(3).padStart(7)} ms  ${query.slice(0, 150)}`,
          )
      }
    await meter.close()
  },
  // Without full page images the log holds what was written and nothing that depends on
  // checkpoints.
  { durable: false, settings: { shared_preload_libraries: 'pg_stat_statements' } },
)

interface Costs extends DatabaseCosts {
  /** Milliseconds of processor time of the server. */
  readonly server: number
  readonly statements: readonly Statements[]
}

async function measured(
  meter: DatabaseMeter,
  server: ServerProcess,
  work: () => Promise<void>,
): Promise<Costs> {
  await meter.query('select pg_stat_statements_reset()')
  const before = server.cpu()
  const costs = await meter.of(work)
  const used = server.cpu() - before
  const statements = await meter.query<{ query: string; calls: number; ms: number }>(
    `select regexp_replace(query, '\\s+', ' ', 'g') as query, sum(calls)::int as calls,
      sum(total_exec_time) as ms
    from pg_stat_statements join pg_database on oid = dbid where datname = current_database()
    group by 1 order by 2 desc limit 60`,
  )
  return { ...costs, server: used, statements }
}

function table(found: readonly (Costs & { readonly kind: string })[]): string {
  const head = [
    'a turn',
    'statements',
    'transactions',
    'log KB',
    'database ms',
    'server ms',
    'kept KB',
  ]
  const lines = found.map(({ kind, statements, transactions, log, cpu, server, kept }) => [
    kind,
    (statements.reduce((sum, { calls }) => sum + calls, 0) / turns).toFixed(1),
    (transactions / turns).toFixed(1),
    (log / turns / 1024).toFixed(1),
    (cpu / turns).toFixed(1),
    (server / turns).toFixed(1),
    (kept / turns / 1024).toFixed(1),
  ])
  return [head, ...lines]
    .map(([kind = '', ...figures]) =>
      [kind.padEnd(20), ...figures.map((figure) => figure.padStart(13))].join(''),
    )
    .join('\n')
}
