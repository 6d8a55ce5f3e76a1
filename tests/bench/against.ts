/**
 * Ours against other frameworks, on the machine of whoever runs it. It installs them at fixed
 * versions, starts a server with each, and prints one table of all.
 *
 *     npm run bench -- --against mastra,langgraph,openai-agents
 *     npm run bench -- --against mastra --repetitions 3 --seconds 2
 */

import { type Bench, withBench } from './adapters.ts'
import { type PeerName, peerNames, peers, titleOf } from './peers/catalog.ts'
import { type Installation, installPackages } from './peers/install.ts'
import { comparisonTable, type ComparedServer } from './peers/table.ts'
import { keepResults } from './results.ts'
import type { ServerProcess } from './server-process.ts'
import { say } from './vocabulary.ts'
import { measureServers, type Progress, ratios, type Scenario } from './windows.ts'

export interface Comparison {
  readonly peers: readonly PeerName[]
  readonly repetitions: number
  /** Seconds of one window. */
  readonly seconds: number
}

export type ParsedComparison =
  | { readonly ok: true; readonly comparison: Comparison }
  | { readonly ok: false; readonly problem: string }

/** The servers of a comparison, in the order of the table; the first is the floor. */
export type ComparedName = 'floor-bare' | 'amodal-pg' | PeerName

/** A peer without a server, and why. */
export interface AbsentPeer {
  readonly name: PeerName
  readonly problem: string
}

/** Reads the options of the command line. */
export function parseComparison(options: {
  readonly against: string
  readonly repetitions?: string | undefined
  readonly seconds?: string | undefined
}): ParsedComparison {
  const names = options.against
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const unknown = names.filter((name) => !peerNames.some((peer) => peer === name))
  const selected = peerNames.filter((peer) => names.includes(peer))
  const choices = `there are ${peerNames.join(', ')}`
  if (unknown.length > 0)
    return { ok: false, problem: `--against: no peer ${unknown.join(', ')}; ${choices}` }
  if (selected.length === 0) return { ok: false, problem: `--against names no peer; ${choices}` }

  const repetitions = Number(options.repetitions ?? 5)
  if (!Number.isInteger(repetitions) || repetitions < 1)
    return { ok: false, problem: '--repetitions takes a whole number of at least 1' }
  const seconds = Number(options.seconds ?? 5)
  if (!(seconds > 0 && seconds <= 600))
    return { ok: false, problem: '--seconds takes a number between 0 and 600' }
  return { ok: true, comparison: { peers: selected, repetitions, seconds } }
}

/** Installs and measures the peers, and prints the table. */
export async function compareWith(
  { peers: names, repetitions, seconds }: Comparison,
  progress: Progress,
): Promise<void> {
  const installations = new Map<PeerName, Installation>()
  for (const name of names) {
    const installation = await installPackages(name, peers[name].packages)
    installations.set(name, installation)
    if (installation.ok)
      console.log(
        `${titleOf(name)} ${installation.reused ? 'is installed' : 'installed'} in ${installation.folder}`,
      )
  }
  await withBench(async (bench) => {
    const { servers: started, absent } = await startPeers(bench, installations)
    for (const { name, problem } of absent) console.log(`Without ${name}: ${problem}`)
    const servers = new Map<ComparedName, ServerProcess>([
      ['floor-bare', await bench.start('floor-bare')],
      ['amodal-pg', await bench.start('amodal-pg')],
      ...started,
    ])

    const list = comparisonScenarios([...servers.keys()], seconds)
    const windows = await measureServers(servers, list, repetitions, progress)
    await keepResults('against', ratios(list, windows), windows)

    const rows: ComparedServer<ComparedName>[] = []
    for (const [name, server] of servers)
      rows.push({ name, ...describe(name), bytes: (await server.memory()).rss })
    console.log(`\n${comparisonTable(list, rows, windows)}`)
    for (const { name } of absent) console.log(`Not in the table: ${name}, see above.`)
    if (absent.length > 0) process.exitCode = 1
  })
}

/** Starts the servers of the peers. One that is not installed or does not start is absent. */
export async function startPeers(
  bench: Pick<Bench, 'startPeer'>,
  installations: ReadonlyMap<PeerName, Installation>,
): Promise<{
  readonly servers: ReadonlyMap<PeerName, ServerProcess>
  readonly absent: readonly AbsentPeer[]
}> {
  const servers = new Map<PeerName, ServerProcess>()
  const absent: AbsentPeer[] = []
  for (const [name, installation] of installations) {
    if (!installation.ok) {
      absent.push({ name, problem: installation.problem })
      continue
    }
    try {
      servers.set(name, await bench.startPeer(name, installation.folder))
    } catch (error) {
      absent.push({ name, problem: error instanceof Error ? error.message : String(error) })
    }
  }
  return { servers, absent }
}

/** The scenarios of the bench that every server can play. */
export function comparisonScenarios(
  adapters: readonly ComparedName[],
  seconds: number,
): readonly Scenario<ComparedName>[] {
  const scenario = (
    name: string,
    message: string,
    clients: number,
    warm: number,
  ): Scenario<ComparedName> => ({ name, message, clients, seconds, warm, adapters, goals: {} })
  return [
    scenario('text-1', say.text(20), 1, 1),
    scenario('text-16', say.text(20), 16, 3),
    scenario('text-64', say.text(20), 64, 2),
    scenario('tool-16', say.tool(), 16, 2),
    scenario('paced-16', say.paced(20, 20), 16, 1),
  ]
}

function describe(name: ComparedName): { readonly title: string; readonly persists: string } {
  switch (name) {
    case 'floor-bare':
      return { title: name, persists: 'nothing: history in memory' }
    case 'amodal-pg':
      return { title: name, persists: 'every step in Postgres, all guards' }
    case 'mastra':
    case 'langgraph':
    case 'openai-agents':
      return { title: titleOf(name), persists: peers[name].persists }
    default:
      return name satisfies never
  }
}
