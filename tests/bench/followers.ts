/**
 * What followers of a session's live state cost: processor time of a change that 1,000 are told,
 * for each of them, beside that of the same change told to nobody.
 *
 *     node tests/bench/followers.ts
 */

import { setTimeout as sleep } from 'node:timers/promises'

import { type Bench, withBench } from './adapters.ts'
import { keepResults, type Measurement, report } from './results.ts'
import type { ServerProcess } from './server-process.ts'

const followers = 1000
const repetitions = 4
const changes = 60
/** ms between two changes: a follower is told at most 20 in a second. */
const pace = 70
/** Keys of the state, of which one changes. */
const keys = 500

interface Told {
  /** ms of processor time of a change, by itself and with everybody told. */
  readonly alone: number
  readonly told: number
  readonly heard: number
}

export async function measureFollowers(): Promise<readonly Measurement[]> {
  const found = await withBench(measure)
  const measurements = [
    {
      id: 'followers',
      values: found.map(({ alone, told }) => ((told - alone) * 1000) / followers),
    },
  ]
  await keepResults('followers', measurements, found)
  return measurements
}

async function measure(bench: Bench): Promise<readonly Told[]> {
  const server = await bench.start('amodal-pg', {
    manifest: {
      limits: { max_tool_rounds: 1 },
      state: {
        properties: {
          board: { type: 'object', default: {}, visibility: 'public', write: ['api'] },
        },
      },
    },
  })
  const path = `/sessions/${await newSession(server)}/state`
  await change(server, path, changes)
  const found: Told[] = []
  while (found.length < repetitions) {
    const alone = await change(server, path, changes)
    const readers = await bench.subscribe(server, followers, { path: `${path}/stream` })
    await sleep(500)
    const before = await readers.requests()
    const told = await change(server, path, changes)
    await sleep(1000)
    const heard = (await readers.requests()) - before
    await readers.stop()
    if (heard < 0.9 * changes * followers)
      throw new Error(`${followers} followers heard ${heard} of ${changes} changes`)
    found.push({ alone, told, heard })
  }
  await server.stop()
  return found
}

async function newSession({ port }: ServerProcess): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  if (!response.ok) throw new Error(`a session was refused with ${response.status}`)
  const { id } = (await response.json()) as { readonly id: string } // the server's contract
  return id
}

let n = 0

/** @returns ms of processor time for each change */
async function change(server: ServerProcess, path: string, count: number): Promise<number> {
  const board = Object.fromEntries(Array.from({ length: keys }, (_, key) => [`key${key}`, key]))
  const before = server.cpu()
  for (let done = 0; done < count; done++) {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'if-match': '*' },
      body: JSON.stringify({ board: { ...board, key7: ++n } }),
    })
    if (!response.ok) throw new Error(`a change was refused: ${await response.text()}`)
    await response.arrayBuffer()
    await sleep(pace)
  }
  return (server.cpu() - before) / count
}

if (import.meta.main) await report(measureFollowers)
