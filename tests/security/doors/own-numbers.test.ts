import { type JsonObject, use } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import guardOutput from '@amodal/plugin-guard-output'
import { expect, test } from 'vitest'
import { startApi } from '../support/api-server.ts'
import { openDoor, type DoorOptions } from '../support/door.ts'

const OWN = 'DE89 3704 0044 0532 0130 00'
const OTHER = 'GB33BUKB20201555555555'
const pay = (iban: string): JsonObject => ({
  connection: 'bank',
  method: 'POST',
  endpoint: '/payments',
  data: { iban, amount: 50 },
})

/**
 * An agent that pays, and reads what somebody else wrote. The model makes the calls in turn, and
 * then says a number.
 */
async function bank(calls: readonly JsonObject[], says: string, more: Partial<DoorOptions> = {}) {
  const api = await startApi(({ method }) => ({
    body: method === 'GET' ? { from: 'Bo', account: OTHER } : { ok: true },
  }))
  const door = await openDoor({
    script: ({ messages }) => {
      const count = messages
        .slice(messages.findLastIndex(({ role }) => role === 'user'))
        .filter(({ role }) => role === 'tool').length
      const call = calls[count]
      return call ? reply.toolCalls({ name: 'request', arguments: call }) : reply.text(says)
    },
    files: {
      'connections/bank/spec.json': { baseUrl: api.url },
      'connections/bank/access.json': { default: { read: 'allow', write: 'allow' } },
      'connections/bank/surface.md': 'POST /payments',
    },
    ...more,
  })
  return {
    door,
    paid: () => api.came.filter(({ method }) => method === 'POST').map(({ body }) => body),
    async [Symbol.asyncDispose]() {
      await door[Symbol.asyncDispose]()
      await api[Symbol.asyncDispose]()
    },
  }
}
const READ = { connection: 'bank', method: 'GET', endpoint: '/mail' }

test('an account that a person wrote themselves is paid to and told back, however it is grouped', async () => {
  await using at = await bank([pay(OWN.replaceAll(' ', ''))], `Paid to ${OWN}.`)
  const { status, body, text } = await at.door.say(`Pay 50 euros to ${OWN}.`)
  expect({ status, state: body['response'] ?? text }).toMatchObject({
    status: 200,
    state: expect.stringContaining(OWN) as string,
  })
  expect(at.paid()).toEqual(['{"iban":"DE89370400440532013000","amount":50}'])
})

test("where a stranger's text was read, it is still their own", async () => {
  await using at = await bank([READ, pay(OWN.replaceAll(' ', ''))], 'Done.')
  const { status, body } = await at.door.say(`Read my mail and pay 50 euros to ${OWN}.`)
  expect(status).toBe(202) // for what was read, not for the number
  const [pending] = body['pending_input'] as unknown as readonly JsonObject[] // of a 202
  const answer = { session_id: body['session_id'] ?? '', id: pending?.['id'] ?? '', approved: true }
  expect((await at.door.answer(answer)).status).toBe(200)
  await expect.poll(() => at.paid()).toHaveLength(1)
})

test('an account that a result holds is neither sent nor told', async () => {
  await using at = await bank([READ, pay(OTHER)], `It is ${OTHER}.`)
  const { text } = await at.door.say('Read my mail and pay 50 euros to whom it says.')
  expect(text).not.toContain(OTHER)
  expect(at.paid()).toEqual([])
})

test.each<[string, JsonObject]>([
  ['the context of the front end', { context: { account: OTHER } }],
])("%s is nobody's own", async (_what, more) => {
  await using at = await bank([pay(OTHER)], `It is ${OTHER}.`)
  const { text } = await at.door.say('Pay 50 euros.', more)
  expect(text).not.toContain(OTHER)
  expect(at.paid()).toEqual([])
})

test('a configuration without it keeps it back', async () => {
  await using at = await bank([pay(OWN)], `Paid to ${OWN}.`, {
    entries: [use(guardOutput, { own: [] }, { trusted: true })],
  })
  const { text } = await at.door.say(`Pay 50 euros to ${OWN}.`)
  expect(text).not.toContain(OWN)
  expect(at.paid()).toEqual([])
})
