/** Panels: agents that are made at run time from a template, asked, and removed. */

import { isList, isObject, type JsonObject } from '@amodal/sdk'
import { reply, type ChatCompletionRequest, type Script } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor, textIn, type Door, type Heard } from '../security/support/door.ts'
import { as, keysOf } from '../security/support/people.ts'

const MEMBERS = 50
const MANIFEST = {
  limits: { max_tool_rounds: 3 },
  state: {
    properties: {
      specialty: {
        type: 'string',
        minLength: 1,
        default: 'general',
        visibility: 'public',
        write: [],
      },
      opinions: {
        type: 'integer',
        default: 0,
        visibility: 'public',
        write: ['model'],
      },
    },
  },
  panels: {
    doctors: {
      description: 'Specialists who are consulted.',
      instructions: 'You are a board-certified doctor of {{ state.specialty }}.',
      set: ['specialty'],
      tools: ['update_state'],
      maxMembers: MEMBERS,
    },
    clerks: { state: { specialty: 'paper' }, maxMembers: 1 },
  },
}
const BOARD = /board-certified doctor of ([\w ]+)\./

const system = ({ messages }: ChatCompletionRequest): string =>
  JSON.stringify(messages.filter(({ role }) => role === 'system'))
const specialtyIn = (request: ChatCompletionRequest): string =>
  BOARD.exec(system(request))?.[1] ?? 'nobody'

/** Counts its opinions in its state, and gives one. */
const doctor: Script = (request) => {
  const last = request.messages.at(-1)
  const said = request.messages.filter(({ role }) => role === 'user').length
  if (last?.role === 'user')
    return reply.toolCalls([{ name: 'update_state', arguments: { opinions: said } }])
  return reply.text(`${specialtyIn(request)} says no. ${said}`)
}

const listIn = (body: JsonObject, field: string): readonly JsonObject[] => {
  const list = body[field]
  return isList(list) ? list.filter(isObject) : []
}
const remove = async (door: Door, path: string, headers: Record<string, string>): Promise<number> =>
  (await fetch(`${door.url}${path}`, { method: 'DELETE', headers })).status

test(`${MEMBERS} agents are made, asked, asked again after a restart, and removed`, async () => {
  await using door = await openDoor({ manifest: MANIFEST, script: doctor, keep: 5_000 })
  const mine = { authorization: `Bearer ${door.token}` }
  const members = await Promise.all(
    Array.from({ length: MEMBERS }, async (_, n) => {
      const response = await door.post('/panels/doctors/members', {
        title: `Doctor ${n}`,
        state: { specialty: `field ${n}` },
      })
      expect(response.status, response.text).toBe(201)
      return textIn(response.body, 'session_id')
    }),
  )
  const full = await door.post('/panels/doctors/members', {})
  expect(full).toMatchObject({ status: 409, body: { error: { code: 'PANEL_FULL' } } })
  const listed = await door.get('/panels/doctors', mine)
  expect(new Set(listIn(listed.body, 'members').map((one) => one['session_id']))).toEqual(
    new Set(members),
  )

  const ask = (body: JsonObject, key: string): Promise<Heard> =>
    door.post('/panels/doctors/ask', body, { ...mine, 'idempotency-key': key })
  const first = await ask({ message: 'Is it broken?' }, 'first')
  const answers = listIn(first.body, 'answers')
  expect(answers).toHaveLength(MEMBERS)
  for (const { title, response } of answers) {
    const n = textIn({ title: title ?? '' }, 'title').split(' ')[1]
    expect(response).toBe(`field ${n} says no. 1`)
  }
  const asked = door.model.requests.length

  await door.restart()
  // The same question under the same key: nobody is asked twice.
  const again = await ask({ message: 'Is it broken?' }, 'first')
  expect(listIn(again.body, 'answers').map(({ response }) => response)).toEqual(
    answers.map(({ response }) => response),
  )
  expect(door.model.requests).toHaveLength(asked)

  const order: string[] = []
  const inTurn = await ask({ message: 'And now?', order: 'in_turn' }, 'second')
  for (const { body } of door.model.requests.slice(asked)) order.push(specialtyIn(body))
  expect(listIn(inTurn.body, 'answers').map(({ response }) => response)).toEqual(
    answers.map((one) => textIn(one, 'response').replace('. 1', '. 2')),
  )
  // Two calls of the model for each, and never one of the next before the last of the one before.
  expect(order.filter((name, at) => name !== order[at - 1])).toHaveLength(MEMBERS)

  for (const [n, session] of members.entries()) {
    const { body } = await door.get(`/sessions/${session}/state`, mine)
    expect(body['state']).toEqual({ specialty: `field ${n}`, opinions: 2 })
    const { body: member } = await door.get(`/panels/doctors/members/${session}`, mine)
    expect(member).toMatchObject({ title: `Doctor ${n}`, is_processing: false, tool_round: 0 })
    expect(member['history_size']).toBeGreaterThan(0)
  }
  const gone = await Promise.all(
    members.map((session) => remove(door, `/panels/doctors/members/${session}`, mine)),
  )
  expect(new Set(gone)).toEqual(new Set([200]))
  const empty = await door.get('/panels/doctors', mine)
  expect(listIn(empty.body, 'members')).toEqual([])
  expect((await door.get(`/sessions/${members[0] ?? ''}`, mine)).status).toBe(404)
}, 600_000)

test('answers are told as they come, and one that fails stops nobody', async () => {
  await using door = await openDoor({
    manifest: MANIFEST,
    script: (request, n) =>
      specialtyIn(request) === 'bones'
        ? reply.httpError(400, { message: 'no' })
        : doctor(request, n),
  })
  for (const specialty of ['hearts', 'bones', 'skin'])
    await door.post('/panels/doctors/members', { title: specialty, state: { specialty } })
  const { text } = await door.post(
    '/panels/doctors/ask',
    { message: 'Well?' },
    { authorization: `Bearer ${door.token}`, accept: 'text/event-stream' },
  )
  const events = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as JsonObject) // one object a line
  expect(events.at(-1)).toEqual({ type: 'done', members: 3 })
  const told = new Map(events.slice(0, -1).map((event) => [event['title'], event]))
  expect(told.get('hearts')).toMatchObject({ response: 'hearts says no. 1', reason: 'model_stop' })
  expect(told.get('skin')).toMatchObject({ response: 'skin says no. 1' })
  expect(told.get('bones')).toMatchObject({ reason: 'error', error: { code: 'MODEL_FAILED' } })
})

test('a member is made once under a key, as its template allows', async () => {
  await using door = await openDoor({ manifest: MANIFEST, script: doctor })
  const make = (panel: string, body: JsonObject, key: string): Promise<Heard> =>
    door.post(`/panels/${panel}/members`, body, {
      authorization: `Bearer ${door.token}`,
      'idempotency-key': key,
    })
  const [one, other] = await Promise.all([
    make('doctors', { state: { specialty: 'hearts' } }, 'k'),
    make('doctors', { state: { specialty: 'hearts' } }, 'k'),
  ])
  expect([one.status, other.status]).toEqual([201, 201])
  expect(textIn(one.body, 'session_id')).toBe(textIn(other.body, 'session_id'))
  expect(await make('doctors', { state: { specialty: 'skin' } }, 'k')).toMatchObject({
    status: 409,
    body: { error: { code: 'MESSAGE_CONFLICT' } },
  })
  for (const state of [{ opinions: 3 }, { specialty: '' }, { nothing: 1 }])
    expect(await make('doctors', { state }, `bad ${JSON.stringify(state).length}`)).toMatchObject({
      status: 400,
    })
  expect((await make('nurses', {}, 'n')).status).toBe(404)
  const clerk = await make('clerks', {}, 'c')
  const session = textIn(clerk.body, 'session_id')
  expect((await door.get(`/sessions/${session}/state`)).body['state']).toEqual({
    specialty: 'paper',
    opinions: 0,
  })
  expect((await door.get(`/panels/doctors/members/${session}`)).status).toBe(404)
  const { body } = await door.get('/panels/doctors')
  expect(listIn(body, 'members')).toHaveLength(1)
})

test('another tenant sees no member, asks none and removes none', async () => {
  await using door = await openDoor({
    preset: 'dev',
    env: keysOf({
      ann: { tenant: 'a' },
      bob: { tenant: 'b' },
      reader: { tenant: 'a', scopes: ['sessions'] },
    }),
    manifest: MANIFEST,
    script: doctor,
  })
  const response = await door.post('/panels/doctors/members', { title: 'Ann’s' }, as('ann'))
  const session = textIn(response.body, 'session_id')
  expect((await door.get('/panels/doctors', as('bob'))).body['members']).toEqual([])
  expect((await door.get(`/panels/doctors/members/${session}`, as('bob'))).status).toBe(404)
  expect(await remove(door, `/panels/doctors/members/${session}`, as('bob'))).toBe(404)
  const asked = await door.post('/panels/doctors/ask', { message: 'Hm?' }, as('bob'))
  expect(asked.body['answers']).toEqual([])
  const named = { message: 'Hm?', members: [session] }
  expect((await door.post('/panels/doctors/ask', named, as('bob'))).status).toBe(404)
  expect((await door.post('/panels/doctors/ask', named, as('reader'))).status).toBe(403)
  expect((await door.get('/panels/doctors', as('reader'))).body['members']).toHaveLength(1)
})
