/**
 * What many tools cost: processor time of a text turn of an agent with 1,000 tools against one with
 * a single tool.
 *
 *     node tests/bench/tools.ts
 */

import { withBench } from './adapters.ts'
import { say } from './vocabulary.ts'
import { keepResults, type Measurement, report } from './results.ts'
import { cleanLoad } from './server-process.ts'

const repetitions = 4
/** Tokens of tools that are listed with every call: more than a thousand take. */
const all = ['compaction', { tools: { budget: 10_000_000 } }] as const

export async function measureTools(): Promise<readonly Measurement[]> {
  const found = await withBench(async (bench) => {
    const one = await bench.start('amodal-pg')
    const searched = await bench.start('amodal-pg', { tools: 1000 })
    const listed = await bench.start('amodal-pg', { tools: 1000, plugins: [all] })
    const load = { clients: 16, message: say.text(20), seconds: 4, warmup: 0.5 }
    for (const server of [one, searched, listed]) await cleanLoad(server, { ...load, seconds: 1 })
    const rounds: { readonly one: number; readonly searched: number; readonly listed: number }[] =
      []
    while (rounds.length < repetitions) {
      const cost = async (server: typeof one): Promise<number> =>
        (await cleanLoad(server, load)).cpuPerTurn
      rounds.push({
        one: await cost(one),
        searched: await cost(searched),
        listed: await cost(listed),
      })
    }
    return rounds
  })
  const measurements = [
    // As it comes: what is above the budget is found by the model, and not listed.
    { id: 'tools', values: found.map(({ one, searched }) => searched / one) },
    { id: 'tools, all of them listed', values: found.map(({ one, listed }) => listed / one) },
  ]
  await keepResults('tools', measurements, found)
  return measurements
}

if (import.meta.main) await report(measureTools)
