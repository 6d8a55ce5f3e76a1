/**
 * Shows where a server's processor time goes under a scenario, by function and by package, and
 * leaves the profile in results/ for Chrome's tools.
 *
 *     node tests/bench/profile.ts amodal-pg text-64
 */

import { mkdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { adapterNames, withBench } from './adapters.ts'
import { cleanLoad } from './server-process.ts'
import { guardScenarios } from './guards.ts'
import { scenarios } from './windows.ts'

/** The part of Chrome's format that is read here. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: {
      readonly functionName: string
      readonly url: string
      readonly lineNumber: number
    }
  }[]
  readonly samples: readonly number[]
  /** Microseconds between a sample and the one before it. */
  readonly timeDeltas: readonly number[]
}

const [adapter = 'floor-bare', scenario = 'text-64'] = process.argv.slice(2)
const name = adapterNames.find((known) => known === adapter)
const chosen = [...scenarios({ smoke: true }), ...guardScenarios(4)].find(
  (known) => known.name === scenario,
)
if (name === undefined || chosen === undefined)
  throw new Error('usage: profile.ts ADAPTER SCENARIO, both as run.ts and guards.ts print them')

const folder = new URL('results/', import.meta.url)
await mkdir(folder, { recursive: true })
const file = fileURLToPath(new URL(`${adapter}-${scenario}.cpuprofile`, folder))

const turns = await withBench(async (bench) => {
  const server = await bench.start(
    name,
    scenario.startsWith('guards-') ? { api: await bench.startApi() } : {},
  )
  const { clients, message } = chosen
  await cleanLoad(server, { clients, message, seconds: 2, warmup: 0 })
  let taken = 0
  await server.profile(file, async () => {
    taken = (await cleanLoad(server, { clients, message, seconds: 4, warmup: 0 })).turns
  })
  return taken
})

const profile = JSON.parse(await readFile(file, 'utf8')) as Profile
const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
const byFunction = new Map<string, number>()
const byPackage = new Map<string, number>()
for (const [index, sample] of profile.samples.entries()) {
  const frame = frames.get(sample)
  if (frame === undefined || frame.functionName === '(idle)') continue
  const time = profile.timeDeltas[index] ?? 0
  const where = place(frame.url)
  add(byFunction, `${frame.functionName || '(anonymous)'}  ${where}:${frame.lineNumber + 1}`, time)
  add(
    byPackage,
    where.startsWith('node_modules/')
      ? where
          .split('/')
          .slice(1, where.includes('/@') ? 3 : 2)
          .join('/')
      : (where.split(/\/(?:src|dist)\//)[0] ?? where),
    time,
  )
}
console.log(`${adapter}, ${scenario}: microseconds of its own for each of ${turns} turns\n`)
print(byPackage, 20)
console.log()
print(byFunction, 40)
console.log(`\n${file}`)

function add(sums: Map<string, number>, key: string, time: number): void {
  sums.set(key, (sums.get(key) ?? 0) + time)
}

function print(sums: ReadonlyMap<string, number>, most: number): void {
  for (const [key, time] of [...sums].sort(([, a], [, b]) => b - a).slice(0, most)) {
    console.log(`${(time / turns).toFixed(1).padStart(8)}  ${key}`)
  }
}

/** A file's place: inside its package where it is a dependency, inside the repository otherwise. */
function place(url: string): string {
  if (url === '') return '(native)'
  const dependency = url.lastIndexOf('node_modules/')
  if (dependency >= 0) return url.slice(dependency)
  return url.replace(new URL('../../', import.meta.url).href, '')
}
