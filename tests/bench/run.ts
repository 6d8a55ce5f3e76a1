/**
 * The bench. It measures the processor time a turn costs the server, as a ratio to the floor in the
 * same run: absolute times say nothing on a shared machine.
 *
 *     node tests/bench/run.ts --smoke     about two and a half minutes, part of the checks
 *     node tests/bench/run.ts             everything, about a quarter of an hour
 *     node tests/bench/run.ts --only floor-bare,floor-raw --repetitions 2
 *     node tests/bench/run.ts --baseline  keeps the ratios found in BASELINE.json
 *     node tests/bench/run.ts --against mastra,langgraph,openai-agents   see against.ts
 *
 * Ends with 1 where the median of the repetitions is past its gate. A short run allows a quarter
 * more, and measures what is past that once more before it says so.
 */

import { parseArgs } from 'node:util'

import { type AdapterName, adapterNames, withBench } from './adapters.ts'
import { compareWith, parseComparison } from './against.ts'
import { measureCold } from './cold.ts'
import { measureEvents } from './events.ts'
import { measureFollowers } from './followers.ts'
import { measureGrowth } from './grow.ts'
import { measureGuards } from './guards.ts'
import { measureIdle } from './idle.ts'
import { isPinned } from './machine.ts'
import {
  keepResults,
  type Measurement,
  missed,
  readBaseline,
  readGoals,
  SHORT_TOLERANCE,
  table,
  writeBaseline,
} from './results.ts'
import { measureStarts } from './starts.ts'
import { measureStreams } from './streams.ts'
import { measureTokens } from './sweep.ts'
import { measureTools } from './tools.ts'
import { measureWork } from './work.ts'
import { measureServers, type MeasuredWindow, ratios, scenarios, startServers } from './windows.ts'

if (process.platform !== 'linux') {
  console.log('Nothing measured: processor time is read from /proc, which only Linux has.')
  process.exit()
}

const { values } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    baseline: { type: 'boolean', default: false },
    only: { type: 'string' },
    repetitions: { type: 'string' },
    /** Names of peers, separated by commas: ours is compared with them, and nothing else is run. */
    against: { type: 'string' },
    /** How long a window against peers is. */
    seconds: { type: 'string' },
  },
})

if (values.against !== undefined) {
  const parsed = parseComparison({ ...values, against: values.against })
  if (parsed.ok) await compareWith(parsed.comparison, show)
  else console.error(parsed.problem)
  process.exit(parsed.ok ? undefined : 1)
}

const only = values.only?.split(',') ?? adapterNames
const unknown = only.filter((name) => !adapterNames.some((known) => known === name))
if (unknown.length > 0)
  throw new Error(`--only: no adapter ${unknown.join(', ')}; there are ${adapterNames.join(', ')}`)

const whole = !values.smoke && values.only === undefined
const repetitions = Number(values.repetitions ?? (values.smoke ? 3 : 5))
const list = scenarios(values)
  .map((scenario) => ({
    ...scenario,
    adapters: scenario.adapters.filter((name: AdapterName) => only.includes(name)),
  }))
  .filter(({ adapters }) => adapters.length > 0)

if (!isPinned)
  console.log('One core, or no taskset: servers and load share cores, so the ratios are rougher.')
const goals = await readGoals()
const tolerance = values.smoke ? SHORT_TOLERANCE : 1
const parts = [
  measureTurns,
  ...(values.only === undefined
    ? [() => measureGuards(values, show), () => measureIdle(values), () => measureCold(values)]
    : []),
  ...(whole
    ? [
        measureTokens,
        measureGrowth,
        measureStreams,
        measureEvents,
        measureFollowers,
        measureTools,
        measureStarts,
        measureWork,
      ]
    : []),
]
const measurements: Measurement[] = []
for (const part of parts) measurements.push(...(await measured(part)))

console.log(`\n${table(measurements, goals, await readBaseline(), tolerance)}`)
const isSeconds = ({ id }: Measurement): boolean =>
  goals.some((goal) => goal.id === id && goal.unit === 's')
if (values.baseline)
  await writeBaseline(measurements.filter((measurement) => !isSeconds(measurement)))
for (const { id } of missed(measurements, goals, tolerance)) {
  console.log(`\nMissed: ${id}`)
  process.exitCode = 1
}

async function measureTurns(): Promise<readonly Measurement[]> {
  const { windows, peak } = await withBench(async (bench) => {
    const servers = await startServers(bench, list)
    const measuredWindows = await measureServers(servers, list, repetitions, show)
    const peakOf = (name: AdapterName): number => servers.get(name)?.peak() ?? NaN
    return { windows: measuredWindows, peak: peakOf('amodal-pg') / peakOf('floor-bare') }
  })
  const found = [
    ...ratios(list, windows),
    ...(Number.isNaN(peak) ? [] : [{ id: 'peak-memory', values: [peak] }]),
  ]
  await keepResults('run', found, windows)
  return found
}

/**
 * The figures of a part. In a short run a part that misses a gate is measured twice: a busy minute
 * of the machine is no finding.
 */
async function measured(
  part: () => Promise<readonly Measurement[]>,
): Promise<readonly Measurement[]> {
  const first = await part()
  const late = values.smoke ? missed(first, goals, tolerance) : []
  if (late.length === 0) return first
  console.log(`Past its gate, so measured again: ${late.map(({ id }) => id).join(', ')}`)
  const second = await part()
  return first.map(({ id, values: found }) => ({
    id,
    values: [...found, ...second.filter((one) => one.id === id).flatMap((one) => one.values)],
  }))
}

function show({
  scenario,
  adapter,
  repetition,
  cpuPerTurn,
  turnsPerSecond,
  failed,
  firstProblem,
}: MeasuredWindow<string>): void {
  const name = `${repetition === 0 ? 'warm' : `  #${repetition}`}  ${scenario.padEnd(14)} ${adapter.padEnd(14)}`
  const figures = `${cpuPerTurn.toFixed(2).padStart(7)} ms of CPU a turn  ${turnsPerSecond.toFixed(0).padStart(5)} turns/s`
  console.log(
    failed === 0
      ? name + figures
      : `${name} void: ${failed} turns failed, the first with ${firstProblem}`,
  )
}
