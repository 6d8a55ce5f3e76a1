/**
 * What a stream costs while the model is silent: memory for each of 1,000 turns in flight.
 *
 *     node tests/bench/streams.ts
 */

import { setTimeout as sleep } from 'node:timers/promises'

import { type AdapterName, type Bench, withBench } from './adapters.ts'
import { say } from './vocabulary.ts'
import type { Memory } from './probe.ts'
import { keepResults, type Measurement, report } from './results.ts'
import { cleanLoad } from './server-process.ts'

const streams = 1000
/** Milliseconds the model is silent; all streams have to be open within it. */
const held = 20_000

export async function measureStreams(): Promise<readonly Measurement[]> {
  const found = await withBench(async (bench) => ({
    amodal: await memoryPerStream(bench, 'amodal-pg'),
    bare: await memoryPerStream(bench, 'floor-bare'),
  }))
  const measurements = [
    { id: 'live-stream', values: [found.amodal.live] },
    { id: 'live-stream floor-bare', values: [found.bare.live] },
  ]
  await keepResults('streams', measurements, found)
  return measurements
}

/** Kilobytes for each stream. */
interface PerStream {
  /** Live objects and the buffers they hold: what the stream really needs. */
  readonly live: number
  /** The growth of the process, which may have had room to spare already. */
  readonly rss: number
}

async function memoryPerStream(bench: Bench, name: AdapterName): Promise<PerStream> {
  const server = await bench.start(name)
  await cleanLoad(server, { clients: 50, message: say.text(20), turns: 10 })
  const before = await server.memory()
  const asked = await bench.model.requests()

  const turns = cleanLoad(server, {
    clients: streams,
    message: say.hold(held),
    turns: 1,
    deadline: 60,
  })
  const deadline = performance.now() + held - 2000
  while ((await bench.model.requests()) < asked + streams && performance.now() < deadline)
    await sleep(100)
  await sleep(500)
  const [open, during] = [(await bench.model.requests()) - asked, await server.memory()]
  await turns
  await server.stop()
  if (open < streams)
    throw new Error(`only ${open} of ${streams} streams were open within ${held / 1000} s`)
  const live = (memory: Memory): number => memory.heapUsed + memory.external
  return {
    live: (live(during) - live(before)) / streams / 1024,
    rss: (during.rss - before.rss) / streams / 1024,
  }
}

if (import.meta.main) await report(measureStreams)
