import guardTaint from '@amodal/plugin-guard-taint'
import { use, type JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor, textIn } from '../support/door.ts'
import { pay } from '../support/pay.ts'

const PLAN = '1. pay 7'

test('in plan mode nothing is changed before a person has approved the plan, over a restart too', async () => {
  const { plugin, paid } = pay('allow')
  await using door = await openDoor({
    entries: [use(plugin), use(guardTaint, { inside: ['pay'] })],
    manifest: { security: { planMode: 'always' } },
    // Tries to pay at once, then plans, then pays.
    script: (request) => {
      const results = request.messages.filter(({ role }) => role === 'tool').length
      if (results === 0 || results === 2)
        return reply.toolCalls([{ id: `pay_${results}`, name: 'pay', arguments: { amount: 7 } }])
      return results === 1
        ? reply.toolCalls([{ id: 'plan', name: 'propose_plan', arguments: { plan: PLAN } }])
        : reply.text('paid as planned')
    },
  })
  const { status, body } = await door.say('pay 7')
  expect(status).toBe(202)
  expect(paid).toEqual([])
  expect(door.model.requests[0]?.body.messages[0]?.content).toContain('plan mode')
  expect(JSON.stringify(door.model.requests[1]?.body.messages.at(-1))).toContain('plan mode')
  const [pending] = body['pending_input'] as unknown as readonly JsonObject[] // of a 202
  expect(pending).toMatchObject({
    pending_input_context: { tool: 'propose_plan', tier: 'review', params: { plan: PLAN } },
  })

  await door.restart()
  expect(
    (
      await door.answer({
        session_id: body['session_id'] ?? '',
        id: pending?.['id'] ?? '',
        approved: true,
      })
    ).status,
  ).toBe(200)
  await expect.poll(() => paid).toEqual([7])
  expect(door.model.requests.at(-1)?.body.messages[0]?.content).toContain(PLAN)

  // The plan was for that run: the next one needs its own.
  await expect
    .poll(async () => (await door.get(`/sessions/${textIn(body, 'session_id')}`)).text)
    .toContain('paid as planned')
  door.model.play((request) =>
    request.messages.at(-1)?.role === 'user'
      ? reply.toolCalls([{ id: 'again', name: 'pay', arguments: { amount: 8 } }])
      : reply.text('not now'),
  )
  await door.say('pay 8 too', { session_id: body['session_id'] ?? '', plan_mode: false })
  expect(paid).toEqual([7])
})

test('a message can begin plan mode, and another one end it where it is not always on', async () => {
  const { plugin, paid } = pay('allow')
  await using door = await openDoor({
    entries: [use(plugin), use(guardTaint, { inside: ['pay'] })],
    script: (request) =>
      request.messages.at(-1)?.role === 'user'
        ? reply.toolCalls([
            { id: `c${request.messages.length}`, name: 'pay', arguments: { amount: 1 } },
          ])
        : reply.text('so'),
  })
  const first = await door.stream('pay 1', { plan_mode: true })
  expect(first).toContainEqual(expect.objectContaining({ type: 'plan_mode', action: 'enter' }))
  const session = textIn(first[0], 'session_id')
  await door.say('pay 1', { session_id: session })
  expect(paid).toEqual([])
  await door.say('pay 1', { session_id: session, plan_mode: false })
  expect(paid).toEqual([1])
})
