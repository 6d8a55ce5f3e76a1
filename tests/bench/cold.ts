/**
 * What a start costs, up to and with the first answer: on Postgres against the floor's, and on PGlite
 * with an empty folder against a PGlite that initialises such a folder by itself.
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

    const rounds = []
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const folder = await bench.folder()
      rounds.push({
        bare: await start(bench, 'floor-bare'),
        postgres: await start(bench, 'amodal-pg', { database: migrated }),
        uninitialised: await uninitialised(await bench.folder()),
        first: await start(bench, 'amodal-pglite', { database: folder }),
        second: await start(bench, 'amodal-pglite', { database: folder }),
      })
    }
    return rounds
  })
  const measurements = [
    { id: 'cold', values: found.map(({ postgres, bare }) => postgres.cpu / bare.cpu) },
    { id: 'pglite-first', values: found.map((round) => round.first.cpu / round.uninitialised) },
    { id: 'first-answer', values: found.map(({ first }) => first.answered) },
    { id: 'second-answer', values: found.map(({ second }) => second.answered) },
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
async function uninitialised(folder: string): Promise<number> {
  const server = await startServer({ file: 'floors/pglite.ts', args: ['--folder', folder], role: 'server' })
  const cpu = server.cpu()
  await server.stop()
  return cpu
}

if (import.meta.main) await report(measureCold)
