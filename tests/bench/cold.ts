/**
 * What a start costs, up to and with the first answer: on Postgres against the floor's, and on
 * PGlite with an empty folder against the same without any image. Without a goal, it is held
 * against a PGlite alone too, which initialises such a folder by itself and serves nothing.
 *
 * Our command line keeps Node's compile cache, so every server here has one. A first start finds in
 * it what the install has put there, and the PGlite alone what an earlier one has compiled; a
 * second one, a start on Postgres and the floor's find what an earlier start has compiled. Without
 * a goal, the two last are held against each other with nothing compiled too.
 *
 *     node tests/bench/cold.ts
 */

import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { type AdapterName, type Bench, type StartOptions, withBench } from './adapters.ts'
import { ChatClient } from './chat-client.ts'
import { say } from './vocabulary.ts'
import { keepResults, type Measurement, report } from './results.ts'
import { startServer } from './server-process.ts'

const repetitions = 3
/** The clock of processor time ticks every 10 ms, which is much of a floor's start. */
const pairs = 7
const fewPairs = 3

interface Start {
  /** Milliseconds of processor time from the spawn to the end of the first answer. */
  readonly cpu: number
  /** Seconds on the clock, from and to the same. */
  readonly answered: number
}

/** In a short run, only starts on Postgres, with the packages as they are. */
export async function measureCold({ smoke = false }: { readonly smoke?: boolean } = {}): Promise<
  readonly Measurement[]
> {
  const { starts, rounds } = await withBench(async (bench) => {
    const migrated = await bench.database()
    if (smoke) return { starts: await coldStarts(bench, migrated, fewPairs), rounds: [] }
    const [installed, alone] = [await bench.folder(), await bench.folder()]
    await install(installed)
    const starts = await coldStarts(bench, migrated, pairs)
    await uninitialised({ database: await bench.folder(), compileCache: alone })

    const rounds = []
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const fresh = async (): Promise<{ database: string; compileCache: string }> => ({
        database: await bench.folder(),
        compileCache: await bench.folder(),
      })
      const ours = { database: await bench.folder(), compileCache: await copyOf(installed, bench) }
      rounds.push({
        bareUncompiled: await start(bench, 'floor-bare', await fresh()),
        postgresUncompiled: await start(bench, 'amodal-pg', {
          ...(await fresh()),
          database: migrated,
        }),
        first: await start(bench, 'amodal-pglite', ours),
        second: await start(bench, 'amodal-pglite', ours),
        uninitialised: await start(bench, 'amodal-pglite', {
          database: await bench.folder(),
          compileCache: await copyOf(installed, bench),
          image: false,
        }),
        alone: await uninitialised({ database: await bench.folder(), compileCache: alone }),
      })
    }
    return { starts, rounds }
  })
  const measurements = [
    { id: 'cold', values: starts.map(({ postgres, bare }) => postgres.cpu / bare.cpu) },
    {
      id: 'pglite-first',
      values: rounds.map((round) => round.first.cpu / round.uninitialised.cpu),
    },
    { id: 'first-answer', values: rounds.map(({ first }) => first.answered) },
    { id: 'second-answer', values: rounds.map(({ second }) => second.answered) },
    {
      id: 'pglite-first, to PGlite alone',
      values: rounds.map((round) => round.first.cpu / round.alone),
    },
    {
      id: 'cold, nothing compiled',
      values: rounds.map(
        ({ postgresUncompiled, bareUncompiled }) => postgresUncompiled.cpu / bareUncompiled.cpu,
      ),
    },
  ].filter(({ values }) => values.length > 0)
  await keepResults('cold', measurements, { starts, rounds })
  return measurements
}

/** After one of each, which leaves compiled code behind. */
async function coldStarts(
  bench: Bench,
  database: string,
  count: number,
): Promise<readonly { readonly bare: Start; readonly postgres: Start }[]> {
  await start(bench, 'amodal-pg', { database })
  await start(bench, 'floor-bare')
  const starts = []
  while (starts.length < count)
    starts.push({
      bare: await start(bench, 'floor-bare'),
      postgres: await start(bench, 'amodal-pg', { database }),
    })
  return starts
}

async function start(bench: Bench, name: AdapterName, options?: StartOptions): Promise<Start> {
  const server = await bench.start(name, options)
  const client = new ChatClient({ url: server.chatUrl, deadline: 60_000 })
  const turn = await client.turn(say.text(20))
  const cpu = server.cpu()
  client.close()
  await server.stop()
  if (!turn.ok) throw new Error(`${name} failed its first turn: ${turn.problem}`)
  return { cpu, answered: (server.startedIn + turn.milliseconds) / 1000 }
}

/** What an install does behind the packages: `scripts/lib/workspace.mjs`. */
async function install(compileCache: string): Promise<void> {
  const [script, agent] = [
    new URL('../../cli/scripts/prepare.ts', import.meta.url),
    new URL('../../examples/ops-agent', import.meta.url),
  ].map((url) => fileURLToPath(url))
  await promisify(execFile)(process.execPath, [script ?? '', agent ?? ''], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache },
  })
}

/** Each first start has the cache as the install left it. */
async function copyOf(folder: string, bench: Bench): Promise<string> {
  const copy = await bench.folder()
  await cp(folder, copy, { recursive: true })
  return copy
}

/** Milliseconds of processor time until a PGlite has made its own database in an empty folder. */
async function uninitialised({
  database,
  compileCache,
}: {
  readonly database: string
  readonly compileCache: string
}): Promise<number> {
  const server = await startServer({
    file: 'floors/pglite.ts',
    args: ['--folder', database],
    role: 'server',
    compileCache,
  })
  const cpu = server.cpu()
  await server.stop()
  return cpu
}

if (import.meta.main) await report(measureCold)
