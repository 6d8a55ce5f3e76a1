/** State of a session: declared, changed by tools, the model and clients, followed by clients. */

import { contentText, reply, type ChatCompletionRequest } from '@amodal/sdk/testing'
import { createClient, type SessionStatus } from '@amodal/sdk/client'
import { expect, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import { as, keysOf } from '../security/support/people.ts'

const MANIFEST = {
  limits: { max_tool_rounds: 5 },
  state: {
    properties: {
      subject: {
        type: 'string',
        maxLength: 40,
        default: 'maths',
        visibility: 'public',
        write: ['model', 'tools', 'api'],
        description: 'What is taught.',
      },
      level: {
        type: 'integer',
        minimum: 0,
        default: 1,
        visibility: 'public',
        write: ['model', 'api'],
      },
      notes: { type: 'array', items: { type: 'string' }, default: [], write: ['model'] },
    },
  },
  expressions: {
    instructions: 'You teach {{ state.subject }} at level {{ state.level }}.',
    temperature: 'state.level * 0.1',
  },
}

const system = (request: ChatCompletionRequest | undefined): string =>
  JSON.stringify(request?.messages.filter(({ role }) => role === 'system'))

async function patch(
  door: Door,
  session: string,
  body: object,
  version: string | undefined,
): Promise<Response> {
  return fetch(`${door.url}/sessions/${session}/state`, {
    method: 'PATCH',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${door.token}`,
      ...(version !== undefined && { 'if-match': version === '*' ? version : `"${version}"` }),
    },
    body: JSON.stringify(body),
  })
}

test('the model changes the state, the next turn is told of it, and clients see it', async () => {
  const asked: ChatCompletionRequest[] = []
  await using door = await openDoor({
    manifest: MANIFEST,
    script: (request) => {
      asked.push(request)
      return request.messages.at(-1)?.role === 'user' && asked.length === 1
        ? reply.toolCalls([
            { name: 'update_state', arguments: { subject: 'music', notes: ['likes jazz'] } },
          ])
        : reply.text('Noted.')
    },
  })
  const events = await door.stream('Teach me music')
  const session = textIn(events[0], 'session_id')
  expect(events.find(({ type }) => type === 'state_delta')).toMatchObject({
    patch: [{ op: 'replace', path: '/subject', value: 'music' }],
  })
  expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
  const read = await door.get(`/sessions/${session}/state`)
  expect(read.body).toMatchObject({ state: { subject: 'music', level: 1 } })
  expect(read.text).not.toContain('jazz')

  const version = textIn(read.body, 'version')
  const written = await patch(door, session, { level: 5 }, version)
  expect(written.status).toBe(200)
  expect((await patch(door, session, { level: 6 }, version)).status).toBe(412)
  expect((await patch(door, session, { level: 6 }, undefined)).status).toBe(428)
  expect((await patch(door, session, { level: -1 }, '*')).status).toBe(400)
  expect((await patch(door, session, { notes: ['x'] }, '*')).status).toBe(400)

  await door.say('Go on', { session_id: session })
  expect(system(asked.at(-1))).toContain('You teach music at level 5.')
  expect(asked.at(-1)).toMatchObject({ temperature: 0.5 })

  await door.restart()
  const again = await door.get(`/sessions/${session}/state`)
  expect(again.body['state']).toEqual({ subject: 'music', level: 5 })
})

const HANDLER = `import { defineToolHandler } from '@amodal/sdk'
export default defineToolHandler({
  description: 'Counts a lesson.',
  parameters: { type: 'object', properties: { steal: { type: 'boolean' } } },
  taint: 'ignore',
  MUTATING
  handler: async ({ steal }, ctx) => {
    if (steal) ctx.state.get().lessons = 99
    return { now: await ctx.state.set({ lessons: ctx.state.get().lessons + 1 }) }
  },
})`

test('a turn that fails changes nothing; a tool that is not mutating is refused, and gets a frozen view', async () => {
  await using door = await openDoor({
    manifest: {
      limits: { max_tool_rounds: 5 },
      state: { properties: { lessons: { type: 'integer', default: 0, visibility: 'public' } } },
    },
    files: {
      'tools/count_lesson.ts': HANDLER.replace('MUTATING', 'mutating: true,'),
      'tools/count_secretly.ts': HANDLER.replace('MUTATING', ''),
    },
    script: ({ messages }) => {
      const asked = messages.findLast(({ role }) => role === 'user')
      const said = /\w+$/.exec(asked ? contentText(asked) : '')?.[0]
      const last = messages.at(-1)
      if (last?.role !== 'tool') {
        const name = said === 'secretly' ? 'count_secretly' : 'count_lesson'
        return reply.toolCalls([{ name, arguments: said === 'steal' ? { steal: true } : {} }])
      }
      return said === 'break'
        ? reply.httpError(401, { message: 'no' })
        : reply.text(contentText(last))
    },
  })
  const first = await door.say('count')
  const session = textIn(first.body, 'session_id')
  const lessons = async (): Promise<unknown> =>
    (await door.get(`/sessions/${session}/state`)).body['state']
  expect(await lessons()).toEqual({ lessons: 1 })
  await door.say('break', { session_id: session })
  expect(await lessons()).toEqual({ lessons: 1 })
  expect(textIn((await door.say('secretly', { session_id: session })).body, 'response')).toMatch(
    /"count_secretly" changes the state and is not mutating: add "mutating": true/,
  )
  expect(textIn((await door.say('steal', { session_id: session })).body, 'response')).toMatch(
    /read only|not extensible|Cannot assign/,
  )
  expect(await lessons()).toEqual({ lessons: 1 })
  await door.say('count', { session_id: session })
  expect(await lessons()).toEqual({ lessons: 2 })
  await door.post(`/sessions/${session}/clear`, {})
  expect(await lessons()).toEqual({ lessons: 2 })
  const fork = await door.post(`/sessions/${session}/fork`, {})
  expect((await door.get(`/sessions/${textIn(fork.body, 'id')}/state`)).body['state']).toEqual({
    lessons: 2,
  })
})

const MAIN = `---
state:
  properties:
    level: { type: integer, default: 1, visibility: public, write: [api] }
---
Teach.
`
const SPECIALIST = `---
max_tool_rounds: 5
mutable:
  specialty: { type: string, default: general, visibility: public }
---
Advise.
`

test('files of agents/ declare properties of the same state', async () => {
  const files = { 'agents/main/AGENT.md': MAIN, 'agents/specialist/AGENT.md': SPECIALIST }
  await using door = await openDoor({ files, script: () => reply.text('Hello.') })
  const { body } = await door.say('Hello')
  const read = await door.get(`/sessions/${textIn(body, 'session_id')}/state`)
  expect(read.body['state']).toEqual({ level: 1, specialty: 'general' })

  await using other = await openDoor({
    files: {
      ...files,
      'agents/specialist/AGENT.md': SPECIALIST.replace('specialty', 'level'),
    },
    script: () => reply.text('Hello.'),
  })
  expect((await other.get('/health')).text).toContain(
    'agents/specialist/AGENT.md:4  the state has \\"level\\" already, from agents/main/AGENT.md:4',
  )
})

test('expressions take who asks and when, and the journal has what they were evaluated over', async () => {
  const requests: ChatCompletionRequest[] = []
  await using door = await openDoor({
    env: keysOf({ ann: { roles: ['teacher'] }, bob: { roles: ['pupil'] } }),
    manifest: {
      mutable: { level: 3 },
      expressions: {
        instructions:
          'For {{ principal.id }} in {{ now.getFullYear() }}{{ "teacher" in principal.roles ? ", a teacher" : "" }}, level {{ state.level }}.',
      },
    },
    script: (request) => {
      requests.push(request)
      return reply.text('Hello.')
    },
  })
  await door.say('Hello', {}, as('ann'))
  expect(system(requests.at(-1))).toMatch(/For key:\w+ in 20\d\d, a teacher, level 3\./)
  await door.say('Hello', {}, as('bob'))
  expect(system(requests.at(-1))).toMatch(/, level 3\./)
  expect(system(requests.at(-1))).not.toContain('a teacher')
  const rows = await door.dump()
  expect(rows).toContain('state_evaluated')
  expect(rows.replaceAll('\\', '')).toMatch(/"inputs":.{0,200}"roles":\["teacher"\]/)
})

test('clients see what the session is doing', async () => {
  await using door = await openDoor({
    manifest: { mutable: { step: 0 } },
    files: { 'tools/slow.ts': SLOW },
    script: ({ messages }) =>
      messages.at(-1)?.role === 'user'
        ? reply.toolCalls([{ name: 'slow', arguments: {} }])
        : reply.text('Done.'),
  })
  const first = await door.say('Begin')
  const session = textIn(first.body, 'session_id')
  const client = createClient({ url: door.url, headers: { authorization: `Bearer ${door.token}` } })
  const stop = new AbortController()
  const seen: SessionStatus[] = []
  const following = (async () => {
    for await (const { status } of client.followState(session, { signal: stop.signal })) {
      if (status) seen.push(status)
      if (seen.some((one) => one.is_processing) && status?.is_processing === false) return
    }
  })()
  await door.say('Go on', { session_id: session })
  await following
  stop.abort()
  expect(seen[0]).toMatchObject({ is_processing: false, waiting: false, tool_round: 0 })
  expect(seen).toContainEqual(expect.objectContaining({ is_processing: true, tool_round: 1 }))
  const { status } = await client.state(session)
  expect(seen.at(-1)).toEqual(status)
  expect(status?.history_size).toBeGreaterThan(seen[0]?.history_size ?? 0)
  expect(status?.token_usage.total_tokens).toBeGreaterThan(seen[0]?.token_usage.total_tokens ?? 0)
})

const SLOW = `import { defineToolHandler } from '@amodal/sdk'
export default defineToolHandler({
  description: 'Takes half a second.',
  taint: 'ignore',
  handler: () => new Promise((resolve) => setTimeout(() => resolve({}), 500)),
})`
