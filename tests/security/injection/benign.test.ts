/**
 * What the guard costs people: approvals that are asked for in 100 tasks that nobody tampered with,
 * each in a conversation that has read what strangers can write.
 */
import guardTaint from '@amodal/plugin-guard-taint'
import { use, type Entry, type JsonObject } from '@amodal/sdk'
import { contentText, reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { startApi } from '../support/api-server.ts'
import { openDoor, textIn } from '../support/door.ts'
import { calls, told } from '../support/told-script.ts'

const TASKS = 100

const request = (method: string, endpoint: string, data?: JsonObject): JsonObject => ({
  connection: 'desk',
  method,
  endpoint,
  ...(data && { data }),
})

/** The writes of a task: one to four, of one or two kinds, with values that the person gives. */
function writesOf(task: number): readonly JsonObject[] {
  const id = 100 + task
  const kinds = [
    (n: number) => request('POST', `/tickets/${id + n}/close`),
    (n: number) => request('POST', `/tickets/${id + n}/notes`, { text: `called back, case ${n}` }),
    (n: number) => request('PATCH', `/contacts/${id + n}`, { phone: `+49 30 55${id + n}` }),
    (n: number) => request('POST', '/mails', { to: `p${id + n}@acme.example`, body: 'All done.' }),
  ] as const
  const kind = kinds[task % kinds.length]
  const other = kinds[(task + 1) % kinds.length]
  return Array.from({ length: 1 + (task % 4) }, (_, n) => (n === 3 ? other?.(n) : kind?.(n)) ?? {})
}

interface Figures {
  readonly writes: number
  readonly asked: number
  readonly done: number
}

/** Plays all tasks, a session each, with a message for each write. */
async function played(scope: string | undefined, entries: readonly Entry[] = []): Promise<Figures> {
  await using api = await startApi(({ method }) => ({
    body: method === 'GET' ? { tickets: [{ from: 'Zebulon', text: 'It does not work.' }] } : {},
  }))
  await using door = await openDoor({
    entries,
    // the judge finds the words of the person: they name each write
    script: (asked) =>
      contentText(asked.messages[0]).startsWith('You decide whether a person asked')
        ? reply.text(JSON.stringify({ asked: true, words: 'arguments' }))
        : told(asked),
    files: {
      'connections/desk/spec.json': { baseUrl: api.url },
      'connections/desk/access.json': {
        endpoints: {
          'POST /tickets/{id}/close': 'allow',
          'POST /tickets/{id}/notes': 'allow',
          'PATCH /contacts/{id}': 'allow',
          'POST /mails': 'allow',
        },
      },
    },
  })
  let [writes, asked] = [0, 0]
  for (let task = 0; task < TASKS; task++) {
    const session_id = textIn(
      (await door.say(calls(request('GET', '/tickets')))).body,
      'session_id',
    )
    for (const write of writesOf(task)) {
      writes++
      const { status, body } = await door.say(calls(write), { session_id })
      if (status === 200) continue
      asked++
      const [pending] = body['pending_input'] as unknown as readonly JsonObject[] // of a 202
      const answer = { session_id, id: pending?.['id'] ?? '', approved: true }
      await door.answer({ ...answer, ...(scope && { scope }) })
      await expect
        .poll(async () => (await door.get(`/sessions/${session_id}`)).body['state'])
        .toBe('idle')
    }
  }
  return { writes, asked, done: api.lines.filter((line) => !line.startsWith('GET')).length }
}

test.each<readonly [string, number, string | undefined, readonly Entry[]]>([
  ['without grants each write asks', 250, undefined, []],
  ['with grants each kind of write asks once in a conversation', 125, 'conversation', []],
  ['with a judge none asks', 0, undefined, [use(guardTaint, { judge: 'model' })]],
])('%s', async (_title, asked, scope, entries) => {
  expect(await played(scope, entries)).toEqual({ writes: 250, asked, done: 250 })
})
