/** A session whose turns are served by two instances on one Postgres. */
import type { JsonObject } from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

/** Runs the command that the person says. */
const script: Script = ({ messages }) => {
  const last = messages.at(-1)
  if (last?.role === 'tool') return reply.text(`Result: ${JSON.stringify(last.content)}`)
  const text = JSON.stringify(last?.content ?? '')
  const [, path = '', content] = /(?:write|read) ([\w./-]+)(?:: ([^"\\]*))?/.exec(text) ?? []
  if (path === '') return reply.text('Hello.')
  return content === undefined
    ? reply.toolCalls({ name: 'read', arguments: { path } })
    : reply.toolCalls({ name: 'write', arguments: { path, content } })
}

async function open(url: string): Promise<Door> {
  const door = await openDoor({
    manifest: {
      workspace: { source: 'start' },
      stores: { backend: 'postgres', postgresUrl: url },
    },
    files: { 'start/hello.txt': 'first line\n' },
    env: { AMODAL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') },
    script,
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}

async function say(door: Door, message: string, session?: string): Promise<JsonObject> {
  const { status, text, body } = await door.say(
    message,
    session === undefined ? {} : { session_id: session },
  )
  expect(status, text).toBe(200)
  return body
}

test('each turn sees what the last one has left, on whichever instance it ran', async () => {
  const url = await postgres.createDatabase()
  const [here, there] = [await open(url), await open(url)]
  const session = textIn(await say(here, 'write a.txt: from here'), 'session_id')
  expect(JSON.stringify(await say(there, 'read a.txt', session))).toContain('from here')
  await say(there, 'write a.txt: from there', session)
  await say(there, 'write b.txt: new', session)
  expect(JSON.stringify(await say(here, 'read a.txt', session))).toContain('from there')
  expect(JSON.stringify(await say(here, 'read b.txt', session))).toContain('new')

  const undone = await here.post(`/sessions/${session}/workspace/undo`, {})
  expect(undone.status, undone.text).toBe(200)
  expect(JSON.stringify(await say(there, 'read b.txt', session))).toContain('no such entry')
  expect(JSON.stringify(await say(there, 'read a.txt', session))).toContain('from there')
})

test('sessions on both instances at once have each its own files', async () => {
  const url = await postgres.createDatabase()
  const doors = [await open(url), await open(url)]
  const sessions = await Promise.all(
    Array.from({ length: 8 }, async (_, at) => {
      const first = await say(doors[at % 2] as Door, `write a.txt: of ${at}`)
      return textIn(first, 'session_id')
    }),
  )
  const read = await Promise.all(
    sessions.map(async (session, at) =>
      JSON.stringify(await say(doors[(at + 1) % 2] as Door, 'read a.txt', session)),
    ),
  )
  for (const [at, text] of read.entries()) expect(text).toContain(`of ${at}`)
})
