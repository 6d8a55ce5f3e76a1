/**
 * Two people of one tenant: what is one's own stays so, also where both may see the same sessions
 * and documents.
 */
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor, textIn } from '../support/door.ts'
import { as, keysOf } from '../support/people.ts'

const NOTES = {
  name: 'notes',
  entity: { name: 'Note', key: '{id}', schema: { id: { type: 'string' } } },
}

test('notes stay with whom they are of, and keys of requests with who sent them, for what', async () => {
  await using door = await openDoor({
    env: keysOf({ anna: { tenant: 'acme' }, amos: { tenant: 'acme' } }),
    files: { 'stores/notes.json': NOTES, 'stores/others.json': { ...NOTES, name: 'others' } },
    script: ({ messages }) =>
      messages.at(-1)?.role === 'user' && messages.length === 2
        ? reply.toolCalls({ name: 'remember', arguments: { text: 'Looks for another job.' } })
        : reply.text('Noted.'),
  })
  const session = textIn(
    (await door.say('I look for another job.', {}, as('anna'))).body,
    'session_id',
  )
  await door.say('Thank you.', { session_id: session }, as('anna'))
  const sent = await door.get(`/inspect/sessions/${session}`, as('anna'))
  expect(textIn(sent.body, 'system_prompt')).toContain('Looks for another job.')
  // Sizes, and nothing to read: the prompt holds her notes, and her roles' tools.
  const seen = await door.get(`/inspect/sessions/${session}`, as('amos'))
  expect(seen.body).toMatchObject({
    session_id: session,
    withheld: true,
    system_prompt: '',
    tools: [],
    segments: expect.arrayContaining([
      expect.objectContaining({ id: 'memory', at: null }),
    ]) as object,
  })
  expect(seen.text).not.toContain('job')
  expect((await door.get('/api/memory', as('amos'))).body).toMatchObject({ memories: [] })

  const key = { 'idempotency-key': 'k1' }
  const put = async (store: string, id: string, who: string): Promise<unknown> =>
    (await door.post(`/api/stores/${store}`, { id }, { ...as(who), ...key })).body
  const remove = async (path: string): Promise<number> =>
    (
      await fetch(`${door.url}/api/stores/${path}`, {
        method: 'DELETE',
        headers: { ...as('anna'), ...key },
      })
    ).status
  const stored = [
    await put('notes', 'a', 'anna'),
    await put('notes', 'a', 'anna'),
    await put('notes', 'b', 'amos'),
    await put('others', 'c', 'anna'),
  ]
  expect(stored).toMatchObject([
    { key: 'a', version: 1 },
    { key: 'a', version: 1 },
    { key: 'b', version: 1 },
    { key: 'c', version: 1 },
  ])
  expect([
    await remove('notes/a'),
    (await door.get('/api/stores/notes/a', as('anna'))).status,
    await remove('others/none'),
  ]).toEqual([200, 404, 404])
  expect((await door.get('/api/stores', as('amos'))).body).toMatchObject({
    stores: [{ documentCount: 1 }, { documentCount: 1 }],
  })
}, 60_000)
