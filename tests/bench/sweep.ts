/**
 * What each further token costs: the slope between turns of 20 and of 200 chunks, in processor time
 * and in bytes of the response.
 *
 *     node tests/bench/sweep.ts
 */

import { type AdapterName, withBench } from './adapters.ts'
import { say } from './vocabulary.ts'
import { keepResults, type Measurement, report } from './results.ts'
import { cleanLoad, type ServerProcess } from './server-process.ts'

const repetitions = 3
const short = 20
const long = 200

export async function measureTokens(): Promise<readonly Measurement[]> {
  const { slopes, bytes } = await withBench(async (bench) => {
    const servers: Record<string, ServerProcess> = {}
    for (const name of ['floor-bare', 'floor-raw', 'amodal-pg'] satisfies AdapterName[])
      servers[name] = await bench.start(name)

    const found: Record<string, number>[] = []
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const slope: Record<string, number> = {}
      for (const [name, server] of Object.entries(servers)) slope[name] = await perToken(server)
      found.push(slope)
    }
    return { slopes: found, bytes: await bytesPerToken(servers['amodal-pg']) }
  })
  const toBare = (name: AdapterName): readonly number[] =>
    slopes.map((slope) => (slope[name] ?? NaN) / (slope['floor-bare'] ?? NaN))
  const measurements = [
    { id: 'token', values: toBare('amodal-pg') },
    { id: 'token floor-raw', values: toBare('floor-raw') },
    { id: 'piece-bytes', values: [bytes] },
  ]
  await keepResults('sweep', measurements, { millisecondsPerToken: slopes })
  return measurements
}

/** Milliseconds of processor time for one more chunk of the model. */
async function perToken(server: ServerProcess): Promise<number> {
  const cost = async (chunks: number): Promise<number> =>
    (await cleanLoad(server, { clients: 16, message: say.text(chunks), seconds: 3, warmup: 1 }))
      .cpuPerTurn
  const few = await cost(short)
  return ((await cost(long)) - few) / (long - short)
}

/** Bytes of the response for one more chunk of the model. */
async function bytesPerToken(server: ServerProcess | undefined): Promise<number> {
  const bytesOf = async (chunks: number): Promise<number> => {
    const response = await fetch(server?.chatUrl ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: say.text(chunks) }),
      signal: AbortSignal.timeout(60_000),
    })
    return (await response.arrayBuffer()).byteLength
  }
  return ((await bytesOf(long)) - (await bytesOf(short))) / (long - short)
}

if (import.meta.main) await report(measureTokens)
