/**
 * What a long conversation costs: processor time of a turn at 1,000 messages against one at 10, and
 * the write-ahead log of turn 500 against turn 12. All text of these is random, because compression
 * would hide growth. Beside them, the log of a text turn and of one with a tool.
 *
 * Sending a long history to the model costs any server something. That part is what the raw floor
 * pays for it, and it is taken off.
 *
 *     node tests/bench/grow.ts
 */

import pg from 'pg'

import { withBench } from './adapters.ts'
import { say } from './vocabulary.ts'
import { keepResults, type Measurement, median, report } from './results.ts'
import { cleanLoad, type LoadOptions, type ServerProcess } from './server-process.ts'

const clients = 8
/** Turns of each session whose log is measured: few would measure when others write. */
const MEASURED = 20
const endless = 1_000_000
const turn: LoadOptions = {
  clients,
  message: say.random(20),
  padding: 200,
  'turns-per-session': endless,
  deadline: 60,
}

export async function measureGrowth(): Promise<readonly Measurement[]> {
  // Without full page images the log holds what was written and nothing that depends on
  // checkpoints.
  const found = await withBench(
    async (bench) => {
      const raw = await costs(await bench.start('floor-raw'), async () => 0)
      const database = await bench.database()
      const server = await bench.start('amodal-pg', { database })
      const log = (): Promise<number> => logPosition(database)
      const volumes = {
        text: await logOf(server, say.text(20), log),
        tool: await logOf(server, say.tool(), log),
      }
      return { raw, volumes, amodal: await costs(server, log) }
    },
    { durable: false },
  )
  const payload = median(found.raw.long) - median(found.raw.short)
  const measurements = [
    {
      id: 'history',
      values: found.amodal.long.map((cost, n) => (cost - payload) / (found.amodal.short[n] ?? NaN)),
    },
    { id: 'log-text', values: [found.volumes.text / 1024] },
    { id: 'log-tool', values: [found.volumes.tool / 1024] },
    { id: 'log-volume', values: [found.amodal.logLong / found.amodal.logShort] },
  ]
  await keepResults('grow', measurements, found)
  return measurements
}

interface Costs {
  /**
   * Milliseconds of processor time of a turn at about 10 and at about 1,000 messages, measured
   * several times.
   */
  readonly short: readonly number[]
  readonly long: readonly number[]
  /** Bytes of log of a turn around the 12th and around the 500th. */
  readonly logShort: number
  readonly logLong: number
}

async function costs(server: ServerProcess, log: () => Promise<number>): Promise<Costs> {
  const fresh: LoadOptions = { ...turn, 'turns-per-session': 10, seconds: 2, warmup: 0.5 }
  await cleanLoad(server, fresh)
  const short = await repeated(async () => (await cleanLoad(server, fresh)).cpuPerTurn)

  const { sessions } = await cleanLoad(server, { ...turn, turns: 2 })
  const logShort = await volume(server, sessions, MEASURED, log)
  await cleanLoad(server, { ...turn, sessions, turns: 468 })
  const logLong = await volume(server, sessions, MEASURED, log)
  const long = await repeated(
    async () => (await cleanLoad(server, { ...turn, sessions, turns: 25 })).cpuPerTurn,
  )
  return { short, long, logShort, logLong }
}

async function repeated(measure: () => Promise<number>): Promise<readonly number[]> {
  const values: number[] = []
  while (values.length < 3) values.push(await measure())
  return values
}

/** Bytes of log that each of the sessions' next `turns` turns writes. */
async function volume(
  server: ServerProcess,
  sessions: readonly string[],
  turns: number,
  log: () => Promise<number>,
): Promise<number> {
  const before = await log()
  const window = await cleanLoad(server, { ...turn, sessions, turns })
  return ((await log()) - before) / window.turns
}

/** Bytes of log of a turn of sessions that each have ten, also of what is written beside them. */
async function logOf(
  server: ServerProcess,
  message: string,
  log: () => Promise<number>,
): Promise<number> {
  const load: LoadOptions = { clients, message, 'turns-per-session': 10, deadline: 60 }
  await cleanLoad(server, { ...load, turns: 20 })
  const before = await log()
  const { turns } = await cleanLoad(server, { ...load, turns: 100 })
  return ((await log()) - before) / turns
}

/** Bytes of write-ahead log since the cluster was made. */
async function logPosition(database: string): Promise<number> {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  try {
    const { rows } = await client.query<{ bytes: string }>(
      `select pg_current_wal_insert_lsn() - '0/0' as bytes`,
    )
    return Number(rows[0]?.bytes)
  } finally {
    await client.end()
  }
}

if (import.meta.main) await report(measureGrowth)
