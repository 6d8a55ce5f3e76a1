import { replace, use, type JsonObject } from '@amodal/sdk'
import confirmations from '@amodal/plugin-confirmations'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { openDoor, textIn, type Door, type DoorOptions } from '../support/door.ts'
import { pay } from '../support/pay.ts'

const PAYS = (): ReturnType<typeof reply.toolCalls> =>
  reply.toolCalls([{ id: 'call_1', name: 'pay', arguments: { amount: 7 } }])

async function paying(
  options: Partial<DoorOptions> & { readonly tier?: 'confirm' | 'review' } = {},
): Promise<{ readonly door: Door; readonly paid: readonly number[] }> {
  const { plugin, paid } = pay(options.tier ?? 'confirm')
  const script: DoorOptions['script'] = (request) =>
    request.messages.at(-1)?.role === 'tool' ? reply.text('done') : PAYS()
  return {
    door: await openDoor({
      script,
      ...options,
      entries: [use(plugin), ...(options.entries ?? [])],
    }),
    paid,
  }
}

async function waiting(
  door: Door,
): Promise<{ readonly session: string; readonly id: string; readonly pending: JsonObject }> {
  const { status, body } = await door.say('pay 7')
  expect(status).toBe(202)
  const [pending] = body['pending_input'] as unknown as readonly JsonObject[] // of a 202
  return { session: textIn(body, 'session_id'), id: textIn(pending, 'id'), pending: pending ?? {} }
}

test('a call that needs a person answers /chat/sync with 202 and all that is to be known, and runs once approved', async () => {
  const { door, paid } = await paying()
  await using _ = door
  const { session, id, pending } = await waiting(door)
  expect(pending).toMatchObject({
    pending_input_type: 'approval',
    pending_input_schema: { required: ['approved'] },
    pending_input_context: { tool: 'pay', params: { amount: 7 }, tier: 'confirm' },
  })
  expect(Date.parse(textIn(pending, 'expires_at'))).toBeGreaterThan(Date.now() + 50 * 60_000)
  expect(paid).toEqual([])
  expect((await door.answer({ session_id: session, id, approved: true })).status).toBe(200)
  await expect.poll(() => paid).toEqual([7])
})

describe('an answer', () => {
  test('counts once', async () => {
    const { door, paid } = await paying()
    await using _ = door
    const { session, id } = await waiting(door)
    const answers = await Promise.all(
      [1, 2, 3].map(() => door.answer({ session_id: session, id, approved: true })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404 || status === 409)).toHaveLength(2)
    await expect.poll(() => paid).toEqual([7])
    expect((await door.answer({ session_id: session, id, approved: true })).status).toBe(404)
    expect(paid).toEqual([7])
  })

  test('that does not fit changes nothing, and is told the schema', async () => {
    const { door, paid } = await paying()
    await using _ = door
    const { session, id } = await waiting(door)
    const refused = await door.answer({ session_id: session, id, feedback: 'hm' })
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'ANSWER_INVALID' } } })
    expect(refused.text).toContain('approved')
    expect(
      (await door.answer({ session_id: session, id, approved: false, feedback: 'too much' }))
        .status,
    ).toBe(200)
    await expect
      .poll(() => door.model.requests.at(-1)?.body.messages.at(-1))
      .toMatchObject({ role: 'tool', content: expect.stringContaining('too much') as string })
    expect(paid).toEqual([])
  })

  test('of somebody who may not give it is an answer to nothing: the same bytes', async () => {
    const { door, paid } = await paying({
      tier: 'review',
      entries: [
        replace('confirmations', confirmations, {
          answeredBy: ['asker'],
          reviewedBy: ['supervisor'],
        }),
      ],
    })
    await using _ = door
    const { session, id } = await waiting(door)
    const refused = await door.answer({ session_id: session, id, approved: true })
    const unknown = await door.answer({
      session_id: session,
      id: id.replaceAll(/[0-9a-f]/g, '0'),
      approved: true,
    })
    expect(refused.status).toBe(404)
    expect(refused.text.replaceAll(id, 'ID')).toBe(
      unknown.text.replaceAll(id.replaceAll(/[0-9a-f]/g, '0'), 'ID'),
    )
    expect(paid).toEqual([])
  })

  test('after its time is over is refused, and the call is settled without it', async () => {
    const { door, paid } = await paying({
      entries: [replace('confirmations', confirmations, { expiresMinutes: 0.004 })],
    })
    await using _ = door
    const { session, id } = await waiting(door)
    await new Promise((resolve) => {
      setTimeout(resolve, 300)
    })
    expect([404, 410]).toContain(
      (await door.answer({ session_id: session, id, approved: true })).status,
    )
    await expect
      .poll(() => door.model.requests.at(-1)?.body.messages.at(-1))
      .toMatchObject({ role: 'tool', content: expect.stringContaining('in time') as string })
    expect(paid).toEqual([])
  })

  test('after a restart runs what was approved, once', async () => {
    const { door, paid } = await paying()
    await using _ = door
    const { session, id } = await waiting(door)
    await door.restart()
    expect((await door.answer({ session_id: session, id, approved: true })).status).toBe(200)
    await expect.poll(() => paid).toEqual([7])
    await expect.poll(async () => (await door.get(`/sessions/${session}`)).text).toContain('done')
    expect(paid).toEqual([7])
  })
})

test('two calls in one step, one denied: the other runs, and the next turn is well-formed', async () => {
  const { plugin, paid } = pay('confirm')
  await using door = await openDoor({
    entries: [use(plugin)],
    script: (request) =>
      request.messages.at(-1)?.role === 'user' && request.messages.length < 4
        ? reply.toolCalls([
            { id: 'a', name: 'pay', arguments: { amount: 1 } },
            { id: 'b', name: 'pay', arguments: { amount: 2 } },
          ])
        : reply.text('so'),
  })
  const { body } = await door.say('pay both')
  const session = textIn(body, 'session_id')
  const [first, second] = body['pending_input'] as unknown as readonly JsonObject[] // of a 202
  const said = await door.answer({
    session_id: session,
    responses: [
      { id: first?.['id'] ?? '', approved: false, feedback: 'no' },
      { id: second?.['id'] ?? '', approved: true },
    ],
  })
  expect(said.status).toBe(200)
  await expect.poll(() => paid).toEqual([2])
  // The scripted server refuses, as real ones do, a history whose calls have no results.
  expect(await door.say('and now?', { session_id: session })).toMatchObject({
    status: 200,
    body: { response: 'so' },
  })
})
