/** State of a session: declared, changed by tools, the model and clients, followed by clients. */

import { contentText, reply, type ChatCompletionRequest } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'

const MANIFEST = {
  limits: { max_tool_rounds: 5 },
  state: {
    fields: {
      subject: {
        type: 'string',
        maxLength: 40,
        default: 'maths',
        visible: 'public',
        write: ['model', 'tools', 'api'],
        description: 'What is taught.',
      },
      level: {
        type: 'integer',
        minimum: 0,
        default: 1,
        visible: 'public',
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
  MUTATES
  handler: async ({ steal }, ctx) => {
    if (steal) ctx.state.lessons = 99
    return { now: await ctx.setState({ lessons: ctx.state.lessons + 1 }) }
  },
})`

test('a turn that fails changes nothing; a tool says that it mutates, and gets a frozen view', async () => {
  await using door = await openDoor({
    manifest: {
      limits: { max_tool_rounds: 5 },
      state: { fields: { lessons: { type: 'integer', default: 0, visible: 'public' } } },
    },
    files: {
      'tools/count_lesson.ts': HANDLER.replace('MUTATES', 'mutates: true,'),
      'tools/count_secretly.ts': HANDLER.replace('MUTATES', ''),
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
    /"count_secretly" changes the state and does not say so: add "mutates": true/,
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
