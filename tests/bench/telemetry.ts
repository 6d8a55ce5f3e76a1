/**
 * What being watched costs: a text turn of the product without `telemetry-otel` against the same
 * with it. A difference of a few percent is smaller than what a shared machine drifts in a second,
 * so all servers live in this process, share what the engine has compiled, and take turns at short
 * windows, in an order that begins with another one in each round.
 *
 *     node tests/bench/telemetry.ts
 */

import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { HttpApp } from '@amodal/plugin-http/tokens'
import { explainStart, startFolder } from '@amodal/presets'
import { type Bench, withBench } from './adapters.ts'
import { pinned } from './machine.ts'
import { keepResults, type Measurement, report } from './results.ts'
import { cleanLoad, type ServerProcess } from './server-process.ts'
import { say } from './vocabulary.ts'

const rounds = 40
/** Turns of each of 16 clients before the first round, and in a window. */
const warm = 250
const turns = 8

const variants = ['none', 'off', 'served', 'on', 'hangs'] as const
type Variant = (typeof variants)[number]

type Target = Pick<ServerProcess, 'chatUrl' | 'pid'>

/** Milliseconds that a turn takes of the processor, and the median of those it lasts. */
interface Costs {
  readonly cpu: number
  readonly wall: number
}
type Round = Readonly<Record<Variant, Costs>>

export async function measureTelemetry(): Promise<readonly Measurement[]> {
  const core = pinned('server').at(-1)
  if (core !== undefined) execFileSync('taskset', ['-acp', core, String(process.pid)])
  const measured = await withBench(async (bench) => {
    await using servers = await start(bench)
    const costs = async (variant: Variant, each: number): Promise<Costs> => {
      const load = { clients: 16, message: say.text(20), turns: each }
      const { cpuPerTurn, median } = await cleanLoad(servers.of[variant], load)
      return { cpu: cpuPerTurn, wall: median }
    }
    for (const variant of variants) await costs(variant, warm)
    const found: Round[] = []
    while (found.length < rounds) found.push(await round(found.length, (one) => costs(one, turns)))
    return found
  })
  const ratios = (of: Variant, costs: keyof Costs): readonly number[] =>
    measured.map((one) => one[of][costs] / one.none[costs])
  const measurements = [
    { id: 'telemetry-off', values: ratios('off', 'cpu') },
    { id: 'telemetry-served', values: ratios('served', 'cpu') },
    { id: 'telemetry-on', values: ratios('on', 'cpu') },
    { id: 'telemetry-hangs', values: ratios('hangs', 'cpu') },
    { id: 'telemetry-hangs, time', values: ratios('hangs', 'wall') },
  ]
  await keepResults('telemetry', measurements, measured)
  return measurements
}

async function round(number: number, costs: (variant: Variant) => Promise<Costs>): Promise<Round> {
  const found: Partial<Record<Variant, Costs>> = {}
  const first = number % variants.length
  for (const variant of [...variants.slice(first), ...variants.slice(0, first)])
    found[variant] = await costs(variant)
  return found as Round // one of each
}

interface Servers extends AsyncDisposable {
  readonly of: Readonly<Record<Variant, Target>>
}

/** Without the plugin; with it but off; as `production` has it; and sending to two receivers. */
async function start(bench: Bench): Promise<Servers> {
  const receiver = await bench.startReceiver()
  const hanging = await bench.startReceiver({ hangs: true })
  const stops: (() => Promise<unknown>)[] = []
  const server = async (entry?: unknown): Promise<Target> => {
    const dir = await bench.folder()
    const manifest = {
      name: 'bench',
      userContext: 'You are a helpful assistant.',
      models: {
        main: {
          provider: 'openai-compatible',
          model: 'bench',
          baseUrl: `http://127.0.0.1:${bench.model.port}/v1`,
        },
      },
      stores: { backend: 'postgres', postgresUrl: await bench.database() },
      plugins: [['log-json', { level: 'warn' }], ...(entry === undefined ? [] : [entry])],
    }
    await writeFile(join(dir, 'amodal.json'), JSON.stringify(manifest))
    const started = await startFolder({ dir, preset: 'production', env: {}, port: 0 })
    if (!started.ok) throw new Error(explainStart(started.error))
    stops.push(() => started.value.close())
    const address = started.value.kernel.scope.get(HttpApp).address()
    if (!address) throw new Error('the server does not listen')
    return { chatUrl: `http://127.0.0.1:${address.port}/chat/stream`, pid: process.pid }
  }
  const sending = ({ port }: ServerProcess): unknown => [
    'telemetry-otel',
    { endpoint: `http://127.0.0.1:${port}`, prometheus: true },
  ]
  return {
    of: {
      none: await server({ without: 'telemetry-otel' }),
      off: await server(['telemetry-otel', { prometheus: false }]),
      served: await server(),
      on: await server(sending(receiver)),
      hangs: await server(sending(hanging)),
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stops.map((stop) => stop()))
    },
  }
}

if (import.meta.main) await report(measureTelemetry)
