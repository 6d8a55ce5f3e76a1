/**
 * What a start costs, up to and with the first answer: on Postgres against the floor's, and on PGlite
 * with an empty folder against a PGlite alone that initialises such a folder by itself and serves nothing.
 *
 * Our command line keeps Node's compile cache, so every server here has one. A first start finds it
 * empty, and so does the PGlite alone; a second one, a start on Postgres and the floor's find in it what
 * an earlier start has compiled. Without a goal, the two last are held against each other uncompiled too.
 *
 *     node tests/bench/cold.ts
 */

import { type AdapterName, type Bench, type StartOptions, withBench } from './adapters.ts'
import { ChatClient } from './chat-client.ts'
import { say } from './vocabulary.ts'
import { keepResults, type Measurement, report } from './results.ts'
import { startServer } from './server-process.ts'

const repetitions = 3

interface Start {
  /** Milliseconds of processor time from the spawn to the end of the first answer. */
  readonly cpu: number
  /** Seconds on the clock, from and to the same. */
  readonly answered: number
}

export async function measureCold(): Promise<readonly Measurement[]> {
  const found = await withBench(async (bench) => {
    const migrated = await bench.database()
    await start(bench, 'amodal-pg', { database: migrated })
    await start(bench, 'floor-bare')

    const rounds = []
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const fresh = async (): Promise<{ database: string; compileCache: string }> => ({ database: await bench.folder(), compileCache: await bench.folder() })
      const ours = await fresh()
      rounds.push({
        bare: await start(bench, 'floor-bare'),
        postgres: await start(bench, 'amodal-pg', { database: migrated }),
        bareUncompiled: await start(bench, 'floor-bare', await fresh()),
        postgresUncompiled: await start(bench, 'amodal-pg', { ...(await fresh()), database: migrated }),
        first: await start(bench, 'amodal-pglite', ours),
        second: await start(bench, 'amodal-pglite', ours),
        uninitialised: await uninitialised(await fresh()),
      })
    }
    return rounds
  })
  const measurements = [
    { id: 'cold', values: found.map(({ postgres, bare }) => postgres.cpu / bare.cpu) },
    { id: 'pglite-first', values: found.map((round) => round.first.cpu / round.uninitialised) },
    { id: 'first-answer', values: found.map(({ first }) => first.answered) },
    { id: 'second-answer', values: found.map(({ second }) => second.answered) },
    { id: 'cold, nothing compiled', values: found.map(({ postgresUncompiled, bareUncompiled }) => postgresUncompiled.cpu / bareUncompiled.cpu) },
  ]
  await keepResults('cold', measurements, found)
  return measurements
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

/** Milliseconds of processor time until a PGlite has made its own database in an empty folder. */
async function uninitialised({ database, compileCache }: { readonly database: string; readonly compileCache: string }): Promise<number> {
  const server = await startServer({ file: 'floors/pglite.ts', args: ['--folder', database], role: 'server', compileCache })
  const cpu = server.cpu()
  await server.stop()
  return cpu
}

if (import.meta.main) await report(measureCold)
