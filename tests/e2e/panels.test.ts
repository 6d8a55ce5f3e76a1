/** Panels: agents that are made at run time from a template, asked, and removed. */

import { PanelService } from '@amodal/plugin-panels/tokens'
import { definePlugin, isList, isObject, use, type JsonObject } from '@amodal/sdk'
import { contentText, reply, type ChatCompletionRequest, type Script } from '@amodal/sdk/testing'
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

const RHEUMATOLOGIST = `---
description: Knows joints.
tools: [update_state]
---
You are a board-certified doctor of {{ state.specialty }}.
`

/** The agent makes a member, asks it, lists the panel and removes it; a member answers. */
const chair: Script = (request, n) => {
  if (specialtyIn(request) !== 'nobody') return doctor(request, n)
  const results = request.messages.filter(({ role }) => role === 'tool').map(contentText)
  const panel = 'doctors'
  const member = /"member":"(\w+)"/.exec(results[0] ?? '')?.[1] ?? ''
  const calls = [
    { name: 'panel_add', arguments: { panel, title: 'Ann', state: { specialty: 'joints' } } },
    { name: 'panel_ask', arguments: { panel, message: 'Is it broken?' } },
    { name: 'panel_members', arguments: { panel } },
    { name: 'panel_remove', arguments: { panel, member } },
    { name: 'panel_members', arguments: { panel } },
    { name: 'panel_ask', arguments: { panel: 'nurses', message: 'Is it broken?' } },
  ]
  const next = calls[results.length]
  return next ? reply.toolCalls([next]) : reply.text(results.join('\n'))
}

test('the model uses panels by tools, which members do not have', async () => {
  await using door = await openDoor({
    manifest: {
      ...MANIFEST,
      limits: { max_tool_rounds: 9 },
      panels: { doctors: { agent: 'rheumatologist', set: ['specialty'] } },
      plugins: [['guard-taint', { inside: ['panel_add', 'panel_ask', 'panel_remove'] }]],
    },
    files: { 'agents/rheumatologist/AGENT.md': RHEUMATOLOGIST },
    script: chair,
  })
  const { body } = await door.say('Ask a doctor')
  const [added, answers, members, removed, none, unknown] = textIn(body, 'response').split('\n')
  expect(added).toContain('"title":"Ann"')
  expect(answers).toContain('joints says no. 1')
  expect(members).toContain('"title":"Ann"')
  expect(removed).toContain('"removed"')
  expect(none).toContain('"members":[]')
  expect(unknown).toContain('there is no panel')
  const toolsOf = ({ tools = [] }: ChatCompletionRequest): readonly string[] =>
    tools.map((tool) => tool.function.name)
  // a title is asked for without tools
  for (const { body: request } of door.model.requests.filter((one) => one.body.tools))
    if (specialtyIn(request) === 'nobody') expect(toolsOf(request)).toContain('panel_ask')
    else expect(toolsOf(request)).toEqual(['update_state'])
})

test('a plugin asks a panel in a hook', async () => {
  const answers: unknown[] = []
  const secondOpinion = definePlugin({
    name: 'second-opinion',
    version: '1.0.0',
    requires: { panels: PanelService },
    setup({ deps, hooks }) {
      hooks.run.end.tap(async (_outcome, { tenant, principal, roles, run, session }) => {
        const caller = { tenant, principal, roles }
        const signal = AbortSignal.timeout(30_000)
        const members = await deps.panels.members(caller, 'doctors', signal)
        if (!members.ok || members.value.some((one) => one['session_id'] === session)) return
        await deps.panels.add(caller, 'doctors', { title: 'Bob', key: run }, signal)
        const question = { message: 'Is it broken?', key: run }
        answers.push(await deps.panels.ask(caller, 'doctors', question, signal))
      })
    },
  })
  await using door = await openDoor({
    manifest: MANIFEST,
    entries: [use(secondOpinion)],
    script: (request, n) =>
      specialtyIn(request) === 'nobody' ? reply.text('Wait.') : doctor(request, n),
  })
  await door.say('Hello')
  await expect
    .poll(() => answers)
    .toMatchObject([{ ok: true, value: [{ title: 'Bob', response: 'general says no. 1' }] }])
})
