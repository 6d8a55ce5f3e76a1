/**
 * What a start costs on a database with 100,000 sessions, 10,000 of them of the last ten minutes
 * and none with anything to do, beyond a start on one without sessions: processor time of the
 * server from its spawn until it has been idle for a while, and the statements it has sent.
 *
 * The longest statements of each start are in `results/starts.json`.
 *
 *     node tests/bench/starts.ts
 */

import { setTimeout as sleep } from 'node:timers/promises'

import { type Bench, withBench } from './adapters.ts'
import { DatabaseMeter } from './database-costs.ts'
import { keepResults, type Measurement, report } from './results.ts'
import type { ServerProcess } from './server-process.ts'
import { storeSessions } from './stored-sessions.ts'

const PAIRS = 5
const SESSIONS = 100_000
const RECENT = 10_000
/** ms from the line that says it listens; work of a start begins with it. */
const SETTLED_MS = 10_000
/** Milliseconds of processor time in a second, of a server without work. */
const IDLE_MS = 20
const MOST_SECONDS = 60

interface Start {
  /** Milliseconds of processor time of the server. */
  readonly cpu: number
  readonly statements: number
  /** Milliseconds in which the database worked on them. */
  readonly database: number
  /** The longest first. */
  readonly longest: readonly Statement[]
}

interface Statement {
  readonly query: string
  readonly calls: number
  readonly ms: number
}

export async function measureStarts(): Promise<readonly Measurement[]> {
  const pairs = await withBench(
    async (bench) => {
      const [empty, full] = [await bench.database(), await bench.database()]
      await (await bench.start('amodal-pg', { database: empty })).stop()
      await storeSessions(bench, full, { sessions: SESSIONS, recent: RECENT })
      const meters = {
        empty: await meterOf(empty),
        full: await meterOf(full),
      }
      const found = []
      while (found.length < PAIRS)
        found.push({
          empty: await start(bench, empty, meters.empty),
          full: await start(bench, full, meters.full),
        })
      await complete(meters.full)
      await Promise.all(Object.values(meters).map((meter) => meter.close()))
      return found
    },
    { durable: false, settings: { shared_preload_libraries: 'pg_stat_statements' } },
  )
  const measurements = [
    { id: 'start-sessions', values: pairs.map(({ empty, full }) => (full.cpu - empty.cpu) / 1000) },
    {
      id: 'start-sessions, statements',
      values: pairs.map(({ empty, full }) => full.statements - empty.statements),
    },
    {
      id: 'start-sessions, seconds of the database',
      values: pairs.map(({ empty, full }) => (full.database - empty.database) / 1000),
    },
  ]
  await keepResults('starts', measurements, pairs)
  return measurements
}

async function meterOf(database: string): Promise<DatabaseMeter> {
  const meter = await DatabaseMeter.open(database)
  await meter.query('create extension pg_stat_statements')
  return meter
}

async function start(bench: Bench, database: string, meter: DatabaseMeter): Promise<Start> {
  await meter.query('select pg_stat_statements_reset()')
  const server = await bench.start('amodal-pg', { database })
  const cpu = await cpuWhenIdle(server)
  const longest = await meter.query<Statement>(
    `select regexp_replace(query, '\\s+', ' ', 'g') as query, sum(calls)::int as calls,
      sum(total_exec_time) as ms
    from pg_stat_statements join pg_database on oid = dbid where datname = current_database()
    group by 1 order by 3 desc`,
  )
  await server.stop()
  const sum = (of: (one: Statement) => number): number =>
    longest.reduce((all, one) => all + of(one), 0)
  return {
    cpu,
    statements: sum(({ calls }) => calls),
    database: sum(({ ms }) => ms),
    longest: longest.slice(0, 12),
  }
}

/** Milliseconds of processor time since its spawn, once it uses next to none. */
async function cpuWhenIdle(server: ServerProcess): Promise<number> {
  await sleep(SETTLED_MS)
  for (let seconds = 0; seconds < MOST_SECONDS; seconds += 1) {
    const before = server.cpu()
    await sleep(1_000)
    if (server.cpu() - before <= IDLE_MS) return before
  }
  throw new Error(`the server is busy for ${MOST_SECONDS} s after its start`)
}

/** Throws where the sessions were not what was to be measured, or not all of the same minutes. */
async function complete(meter: DatabaseMeter): Promise<void> {
  const [found] = await meter.query<{ sessions: number; recent: number; lines: number }>(
    `select count(*)::int as sessions, count(distinct l.session)::int as lines,
      (count(*) filter (where updated_at > now() - interval '10 minutes'))::int as recent
    from sessions_lane s left join (select distinct tenant, session from audit_line) l using (tenant, session)`,
  )
  const { sessions = 0, recent = 0, lines = 0 } = found ?? {}
  if (sessions < SESSIONS || recent < RECENT || lines < sessions)
    throw new Error(`${sessions} sessions, ${recent} of them recent, ${lines} with audit lines`)
}

if (import.meta.main) await report(measureStarts)
