/**
 * What a session costs that nobody talks to: heap for each one kept resident, and for each one
 * beyond the cap, which should cost next to nothing.
 *
 *     node tests/bench/idle.ts
 */

import { withBench } from './adapters.ts'
import { say } from './vocabulary.ts'
import { keepResults, type Measurement, report } from './results.ts'
import { cleanLoad, type ServerProcess } from './server-process.ts'

const clients = 50

/** In a short run, only those that are kept. */
export async function measureIdle({ smoke = false }: { readonly smoke?: boolean } = {}): Promise<
  readonly Measurement[]
> {
  const found = await withBench(async (bench) => {
    const resident = await heapPerSession(
      await bench.start('amodal-pg', { residentBytes: 1_000_000_000 }),
      smoke ? 3 : 5,
    )
    if (smoke) return { resident }
    const evicted = await heapPerSession(
      await bench.start('amodal-pg', { residentBytes: 100_000 }),
      5,
    )
    return { resident, evicted, bare: await heapPerSession(await bench.start('floor-bare'), 5) }
  })
  const measurements = [
    { id: 'idle-session', values: found.resident },
    ...(found.evicted === undefined ? [] : [{ id: 'idle-evicted', values: found.evicted }]),
    ...(found.bare === undefined ? [] : [{ id: 'idle-session floor-bare', values: found.bare }]),
  ]
  await keepResults('idle', measurements, found)
  return measurements
}

/**
 * Kilobytes of live heap for each session, of several rounds: the engine now and then lets go of
 * megabytes of its own.
 */
async function heapPerSession(server: ServerProcess, count: number): Promise<readonly number[]> {
  await openSessions(server, 2000)
  const rounds: number[] = []
  let before = (await server.memory()).heapUsed
  while (rounds.length < count) {
    await openSessions(server, 1000)
    const after = (await server.memory()).heapUsed
    rounds.push((after - before) / 1000 / 1024)
    before = after
  }
  return rounds
}

async function openSessions(server: ServerProcess, sessions: number): Promise<void> {
  await cleanLoad(server, {
    clients,
    message: say.text(20),
    turns: sessions / clients,
    'turns-per-session': 1,
  })
}

if (import.meta.main) await report(measureIdle)
