/**
 * What subscribers of the runtime events cost: processor time of a turn with 1,000 of them against
 * the same turn with none, and the memory of one that does not read.
 *
 *     node tests/bench/events.ts
 */

import { setTimeout as sleep } from 'node:timers/promises'

import { type Bench, withBench } from './adapters.ts'
import { say } from './vocabulary.ts'
import { keepResults, type Measurement, report } from './results.ts'
import { cleanLoad } from './server-process.ts'

const subscribers = 1000
const repetitions = 4
/**
 * How many do not read, and what happens meanwhile: more than the system takes in for a connection,
 * many times over.
 */
const stalled = 50
const changes = 60_000

export async function measureEvents(): Promise<readonly Measurement[]> {
  const found = await withBench(async (bench) => ({
    turns: await turns(bench),
    stalled: await memoryOfStalled(bench),
  }))
  const measurements = [
    { id: 'events', values: found.turns.map(({ alone, told }) => told / alone) },
    { id: 'events-stalled', values: [found.stalled.perSubscriber] },
  ]
  await keepResults('events', measurements, found)
  return measurements
}

/** Milliseconds of processor time of a turn, by itself and with everybody told. */
interface Turns {
  readonly alone: number
  readonly told: number
  readonly turns: number
  readonly heard: number
}

async function turns(bench: Bench): Promise<readonly Turns[]> {
  const server = await bench.start('amodal-pg')
  const load = { clients: 64, message: say.text(20), seconds: 4, warmup: 0.5 }
  await cleanLoad(server, { ...load, seconds: 1 })
  const found: Turns[] = []
  while (found.length < repetitions) {
    const alone = await cleanLoad(server, load)
    const readers = await bench.subscribe(server, subscribers)
    const told = await cleanLoad(server, load)
    await sleep(1000)
    const heard = await readers.requests()
    await readers.stop()
    // The accept and the end of a turn are told, at least, to everybody.
    if (heard < 1.9 * told.turns * subscribers)
      throw new Error(`${subscribers} subscribers heard ${heard} events of ${told.turns} turns`)
    found.push({ alone: alone.cpuPerTurn, told: told.cpuPerTurn, turns: told.turns, heard })
  }
  await server.stop()
  return found
}

/**
 * Kilobytes of the process, with the copies that the system has yet to take, and of its live
 * objects alone.
 */
interface Stalled {
  readonly perSubscriber: number
  readonly live: number
}

async function memoryOfStalled(bench: Bench): Promise<Stalled> {
  // Long enough to be looked at before they are cut.
  const server = await bench.start('amodal-pg', {
    plugins: [
      new URL('bench-events.ts', import.meta.url).pathname,
      ['http', { slowReaderMs: 120_000 }],
    ],
  })
  const change = async (count: number): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${server.port}/bench/announce?count=${count}`, {
      method: 'POST',
    })
    if (!response.ok) throw new Error(`changes were answered with ${response.status}`)
  }
  // What is kept for those who come back, and what the process needs to tell as many who do read,
  // belongs to nobody.
  const reading = await bench.subscribe(server, stalled)
  await change(changes)
  await reading.stop()
  const before = await server.memory()
  const readers = await bench.subscribe(server, stalled, { stalled: true })
  await change(changes)
  await sleep(500)
  const after = await server.memory()
  await readers.stop()
  await server.stop()
  const grown = (what: (of: typeof after) => number): number =>
    (what(after) - what(before)) / stalled / 1024
  return {
    perSubscriber: grown(({ rss }) => rss),
    live: grown(({ heapUsed, external }) => heapUsed + external),
  }
}

if (import.meta.main) await report(measureEvents)
