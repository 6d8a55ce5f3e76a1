/** What sessions at rest take in memory, with all guards, against what `/health` says. */
import type { JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { collectGarbage } from '../reload/collect-garbage.ts'
import { startApi } from '../security/support/api-server.ts'
import { openDoor, textIn } from '../security/support/door.ts'

const SESSIONS = 300
const TURNS = 3
/** Words that are other ones in each result, so that no two sessions share a text. */
const pageOf = (n: number): string =>
  Array.from({ length: 1_500 }, (_, at) => `w${(n * 7_919 + at * 104_729).toString(36)}`).join(' ')

async function heap(): Promise<number> {
  await collectGarbage()
  return process.memoryUsage().heapUsed
}

test('resident_bytes is what sessions hold, within a factor of 1.5', async () => {
  let page = 0
  await using api = await startApi(({ method }) => ({
    body: method === 'GET' ? { text: pageOf(page++) } : { ok: true },
  }))
  await using door = await openDoor({
    keep: 1,
    script: ({ messages }) => {
      const last = messages.at(-1)
      const call: JsonObject = { connection: 'desk', method: 'GET', endpoint: '/pages' }
      return last?.role === 'tool'
        ? reply.text('Done.')
        : reply.toolCalls({ name: 'request', arguments: call })
    },
    files: { 'connections/desk/spec.json': { baseUrl: api.url } },
  })
  const bytes = async (): Promise<number> => {
    const { resident_bytes: resident } = (await door.get('/health')).body
    return typeof resident === 'number' ? resident : Number.NaN
  }
  const play = async (sessions: number): Promise<void> => {
    for (let n = 0; n < sessions; n++) {
      let session = ''
      for (let turn = 0; turn < TURNS; turn++) {
        const more: JsonObject = session === '' ? {} : { session_id: session }
        session = textIn((await door.say(`Read page ${turn}.`, more)).body, 'session_id')
      }
    }
  }
  await play(60)
  door.log.splice(0)
  const before = { heap: await heap(), bytes: await bytes() }
  await play(SESSIONS)
  door.log.splice(0)
  const after = { heap: await heap(), bytes: await bytes() }
  const [grown, counted] = [after.heap - before.heap, after.bytes - before.bytes]
  process.stdout.write(`${SESSIONS} sessions: heap ${grown} B, resident_bytes ${counted} B\n`)
  expect(grown).toBeGreaterThan(counted / 1.5)
  expect(grown).toBeLessThan(counted * 1.5)
}, 600_000)
