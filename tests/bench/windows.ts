/** The heart of the bench: one scenario after the other, the servers taking turns at it. */

import type { AdapterName, Bench, StartOptions } from './adapters.ts'
import type { Window } from './load.ts'
import { say } from './vocabulary.ts'
import type { Measurement } from './results.ts'
import { load, type ServerProcess } from './server-process.ts'

export interface Scenario<Name extends string = AdapterName> {
  readonly name: string
  readonly message: string
  readonly clients: number
  /** Seconds of one window. */
  readonly seconds: number
  /**
   * Seconds before the first one, in which the engine compiles what is used much; 1 where it is
   * left out.
   */
  readonly warm?: number
  /** The servers that take part; the first is what the others are held against. */
  readonly adapters: readonly Name[]
  /** The goal that a server's ratio answers to. */
  readonly goals: Partial<Record<Name, string>>
}

/** The scenarios of the bench. The short ones leave out the floors that are only looked at. */
export function scenarios({ smoke }: { readonly smoke: boolean }): readonly Scenario[] {
  const seconds = smoke ? 1.6 : 5
  const raw: readonly AdapterName[] = smoke ? [] : ['floor-raw']
  const proxy: readonly AdapterName[] = smoke ? [] : ['floor-proxy']
  const alone: readonly Scenario[] = [1, 16].map((clients) => ({
    name: `text-${clients}-pg`,
    message: say.text(20),
    clients,
    seconds,
    warm: 3,
    adapters: ['floor-bare', 'amodal-pg'],
    goals: { 'amodal-pg': `text-${clients}` },
  }))
  const long: Scenario = {
    name: 'long-4',
    message: say.text(2_000),
    clients: 4,
    seconds,
    warm: 3,
    adapters: ['floor-bare', 'amodal-pg'],
    goals: { 'amodal-pg': 'pieces' },
  }
  return [
    ...(smoke ? [] : alone),
    {
      name: 'text-64',
      message: say.text(20),
      clients: 64,
      seconds,
      warm: 3,
      adapters: ['floor-bare', ...raw, ...proxy, 'amodal-pg'],
      goals: { 'amodal-pg': 'text' },
    },
    {
      name: 'tool-16',
      message: say.tool(),
      clients: 16,
      seconds,
      adapters: ['floor-bare', ...raw, 'amodal-pg'],
      goals: { 'amodal-pg': 'tool' },
    },
    {
      name: 'paced-16',
      message: say.paced(20, 20),
      clients: 16,
      seconds: seconds * 1.4,
      adapters: ['floor-bare', ...raw, ...proxy, 'amodal-pg'],
      goals: { 'amodal-pg': 'paced' },
    },
    ...(smoke ? [] : [long]),
    {
      name: 'text-16',
      message: say.text(20),
      clients: 16,
      seconds,
      warm: 5,
      adapters: ['floor-bare', 'amodal-pglite'],
      goals: { 'amodal-pglite': 'text-pglite' },
    },
  ]
}

export interface MeasuredWindow<Name extends string = AdapterName> extends Window {
  readonly scenario: string
  readonly adapter: Name
  readonly repetition: number
}

/** Called after each window, for the person who waits. */
export type Progress = (window: MeasuredWindow<string>) => void

/** The servers of the scenarios. */
export async function startServers(
  bench: Bench,
  list: readonly Scenario[],
  options?: StartOptions,
): Promise<ReadonlyMap<AdapterName, ServerProcess>> {
  const servers = new Map<AdapterName, ServerProcess>()
  for (const name of new Set(list.flatMap(({ adapters }) => adapters)))
    servers.set(name, await bench.start(name, options))
  return servers
}

/** Starts the servers of the scenarios, and measures them. */
export async function measureWindows(
  bench: Bench,
  list: readonly Scenario[],
  repetitions: number,
  progress: Progress,
  options?: StartOptions,
): Promise<readonly MeasuredWindow[]> {
  return measureServers(await startServers(bench, list, options), list, repetitions, progress)
}

/**
 * Measures every scenario `repetitions` times. Within a repetition the servers follow each other
 * directly, in an order that turns around each time, so that a slow minute of the machine falls on
 * all.
 */
export async function measureServers<Name extends string>(
  servers: ReadonlyMap<Name, ServerProcess>,
  list: readonly Scenario<Name>[],
  repetitions: number,
  progress: Progress,
): Promise<readonly MeasuredWindow<Name>[]> {
  const windows: MeasuredWindow<Name>[] = []
  for (let repetition = 0; repetition <= repetitions; repetition += 1) {
    for (const scenario of list) {
      const order = repetition % 2 === 0 ? scenario.adapters : scenario.adapters.toReversed()
      for (const adapter of order) {
        const server = servers.get(adapter)
        if (server === undefined) continue
        const { clients, message, seconds, warm = 1 } = scenario
        const counts = repetition > 0
        const window = await load(server, {
          clients,
          message,
          seconds: counts ? seconds : warm,
          warmup: counts ? 0.5 : 0,
        })
        const measured = { ...window, scenario: scenario.name, adapter, repetition }
        if (counts) windows.push(measured) // the first round only lets the engine compile
        progress(measured)
      }
    }
  }
  return windows
}

/** The ratios of every server to the first of its scenario, pairs with a failed turn left out. */
export function ratios<Name extends string>(
  list: readonly Scenario<Name>[],
  windows: readonly MeasuredWindow<Name>[],
): readonly Measurement[] {
  return list.flatMap(({ name, adapters: [floor, ...others], goals }) =>
    others.map((adapter) => {
      const of = (wanted: Name | undefined): readonly MeasuredWindow<Name>[] =>
        windows.filter(
          (window) => window.scenario === name && window.adapter === wanted && window.failed === 0,
        )
      const values = of(adapter).flatMap((window) => {
        const base = of(floor).find(({ repetition }) => repetition === window.repetition)
        return base === undefined ? [] : [window.cpuPerTurn / base.cpuPerTurn]
      })
      return { id: goals[adapter] ?? `${name} ${adapter}`, values }
    }),
  )
}
