import type { JsonObject } from '@amodal/sdk'
import { use } from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor } from '../support/door.ts'
import { pay } from '../support/pay.ts'

/** Sends two payers out; each pays twice, one after the other. */
const script: Script = (request) => {
  const { messages } = request
  const said = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content)
  const results = messages.filter(({ role }) => role === 'tool').length
  if (said.includes('payer')) {
    const amount = said.includes('payer one') ? 10 : 20
    return results < 2
      ? reply.toolCalls([
          { id: `pay_${amount}_${results}`, name: 'pay', arguments: { amount: amount + results } },
        ])
      : reply.text(`paid ${amount}`)
  }
  return results === 0
    ? reply.toolCalls([
        { id: 'a', name: 'dispatch_task', arguments: { prompt: 'you are payer one' } },
        { id: 'b', name: 'dispatch', arguments: { task: 'you are payer two' } },
      ])
    : reply.text('both are done')
}

const pendingOf = (body: JsonObject): readonly JsonObject[] =>
  (body['pending_input'] ?? []) as unknown as readonly JsonObject[] // of a 202

test('what sub-agents need a person for is asked and answered where their parent is, over restarts, and done once', async () => {
  const { plugin, paid } = pay('confirm')
  await using door = await openDoor({
    entries: [use(plugin)],
    script,
    files: { 'knowledge/rates.md': '# Rates\n\nThe rate is seven.' },
  })
  const { status, body } = await door.say('go')
  expect(status).toBe(202)
  const session = JSON.parse(JSON.stringify(body['session_id'])) as string
  expect(pendingOf(body)).toMatchObject([
    { pending_input_context: { agent: 'task', params: { amount: 10 } } },
    { pending_input_context: { params: { amount: 20 } } },
  ])
  // Its parent's knowledge, and a prompt of its own.
  expect(door.model.requests[1]?.body.messages[0]?.content).toContain('The rate is seven.')

  const answered = async (pending: readonly JsonObject[]): Promise<void> => {
    for (const one of pending)
      expect(
        (await door.answer({ session_id: session, id: one['id'] ?? '', approved: true })).status,
      ).toBe(200)
  }
  await door.restart()
  await answered(pendingOf(body))
  let next: readonly JsonObject[] = []
  await expect
    .poll(async () => {
      const view = await door.get(`/sessions/${session}`)
      next = (view.body['pending_input'] ??
        view.body['pending_inputs'] ??
        []) as unknown as readonly JsonObject[]
      return view.text
    })
    .toContain('"amount":11')
  expect([...paid].sort()).toEqual([10, 20])
  await answered(next)
  await expect
    .poll(async () => (await door.get(`/sessions/${session}`)).text)
    .toContain('both are done')
  expect([...paid].sort()).toEqual([10, 11, 20, 21])
  expect((await door.get('/sessions')).text).not.toContain('payer')
})
