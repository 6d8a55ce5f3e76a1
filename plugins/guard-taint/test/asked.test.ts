import type { JsonObject, Message, PreparedCall } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { unrequestedPart } from '../src/requested/unrequested.ts'
import { IN_WORDS } from './in-words.ts'
import { agent, called, calling, knownFrom, request, user } from './support.ts'

const NOW = Date.UTC(2026, 10, 23, 9)
const STRANGER = called(
  'request',
  { connection: 'crm', method: 'GET', endpoint: '/contacts/1' },
  'Nobody has to know this: the moon is made of cheese and it is quite old',
  'r1',
)
/** Paths of the connection stand in the agent's own files. */
const bundle = agent({
  knowledge: [
    {
      name: 'api',
      title: 'API',
      body: 'PATCH DELETE POST /contacts/{id} /contacts/{id}/notes /contacts/{id}/unlock /orders/{id} /messages /events /limits /invoices/{id}/pay',
    },
  ],
})

const send = (method: string, path: string, body?: JsonObject): PreparedCall =>
  request({ method, path, base: '', ...(body && { body }) })
const fieldsOf = async (
  messages: readonly Message[],
  call: PreparedCall,
): Promise<readonly string[]> =>
  (await unrequestedPart(call, knownFrom(messages, { bundle, tool: call.tool }), NOW)).map(
    ({ field }) => field,
  )
const asking = (text: string, call: PreparedCall): Promise<readonly string[]> =>
  fieldsOf([user(text), ...STRANGER], call)

describe('what a person asked for', () => {
  test.each<[string, PreparedCall]>([
    [
      'Correct the phone of contact 42 to +49 30 1234567.',
      send('PATCH', '/contacts/42', { phone: '+49 30 1234567' }),
    ],
    ['Please unlock contact 42.', send('POST', '/contacts/42/unlock')],
    ['Delete contacts 41, 42 and 43.', send('DELETE', '/contacts/42')],
    ['Lösche bitte Kontakt 42.', send('DELETE', '/contacts/42')],
    [
      'Note for contact 42 that we called.',
      send('POST', '/contacts/42/notes', { text: 'We called.' }),
    ],
    [
      'Put lunch with Ann into my calendar for tomorrow at 12.',
      send('POST', '/events', { title: 'Lunch with Ann', start: '2026-11-24T12:00:00' }),
    ],
    [
      'Erstelle einen Termin am 5.12.2026.',
      send('POST', '/events', { title: 'Termin', start: '2026-12-05' }),
    ],
    ['Archive contact 42.', send('PATCH', '/contacts/42', { archived: true })],
    ['Do not delete contact 41. Delete contact 42.', send('DELETE', '/contacts/42')],
    ['Rotate all keys.', calling('rotate_all_keys', {})],
    [
      'Reply to ann@acme.example that I agree.',
      calling('send_email', { to: 'ann@acme.example', body: 'I agree.' }),
    ],
    ['Roll back billing.', calling('rollback', { service: 'billing' })],
    // A program's message
    ['{"message":"Delete contact 42."}', send('DELETE', '/contacts/42')],
    [
      '[{"role":"user","content":"Please unlock contact 42."}]',
      send('POST', '/contacts/42/unlock'),
    ],
    [
      '{"task": "Reply to ann@acme.example that I agree.", "urgent": true}',
      calling('send_email', { to: 'ann@acme.example', body: 'I agree.' }),
    ],
  ])('%s', async (text, call) => {
    expect(await asking(text, call)).toEqual([])
  })
})

/** `says => METHOD /path {…}`, with what was said and done in the turn before. */
interface Turn {
  readonly says: string
  readonly call: PreparedCall
}
const turnsOf = (line: string): readonly Turn[] =>
  line
    .replaceAll('{{tomorrow}}', '2026-11-24')
    .split(' | ')
    .map((turn) => {
      const [, says = '', method = '', path = '', data] =
        /^(.+) => ([A-Z]+) (\S+)(?: (.+))?$/.exec(turn) ?? []
      // written beside
      const body = data === undefined ? undefined : (JSON.parse(data) as JsonObject)
      const call = send(method, path, body)
      const args = { connection: 'crm', method, endpoint: path, ...(body && { data: body }) }
      return { says, call: { ...call, args } }
    })

describe('in words of their own', () => {
  test.each(IN_WORDS)('%s', async (line) => {
    const turns = turnsOf(line)
    const last = turns.at(-1)
    const before = turns
      .slice(0, -1)
      .flatMap(({ says, call }, at) => [
        user(says),
        ...called('request', call.args, 'ok', `b${at}`),
      ])
    expect(last).toBeDefined()
    if (last)
      expect(await fieldsOf([...before, user(last.says), ...STRANGER], last.call)).toEqual([])
  })
})

describe('what a person did not ask for', () => {
  test.each<[string, PreparedCall, readonly string[]]>([
    ['Look at contact 42.', send('POST', '/contacts/42/unlock'), ['call']],
    ['Look at contact 42.', send('DELETE', '/contacts/42'), ['call']],
    ['Do not delete contact 42.', send('DELETE', '/contacts/42'), ['call']],
    ['{"message":"Do not delete contact 42."}', send('DELETE', '/contacts/42'), ['call']],
    ['{"delete":"Look at contact 42."}', send('DELETE', '/contacts/42'), ['call']],
    ['How do I delete contact 42?', send('DELETE', '/contacts/42'), ['call']],
    ['Who deleted contact 42?', send('DELETE', '/contacts/42'), ['call']],
    [
      'Show me the last update of contact 42.',
      send('PATCH', '/contacts/42', { name: 'contact' }),
      ['call'],
    ],
    [
      'Correct the phone of contact 42 to 5551234.',
      send('PATCH', '/contacts/42', { vip: true }),
      ['call', 'body.vip'],
    ],
    [
      'Correct the phone of contact 42 to 5551234.',
      send('PATCH', '/contacts/42', { plan: 'enterprise' }),
      ['call', 'body.plan'],
    ],
    [
      'Correct the phone of contact 42 to 5551234.',
      send('PATCH', '/contacts/42', { limit: 90_000 }),
      ['call', 'body.limit'],
    ],
    [
      'Correct the phone of contact 42 to 5551234.',
      send('PATCH', '/contacts/42', { until: '2031-01-01' }),
      ['call', 'body.until'],
    ],
    [
      'Delete order 42, and look at the contacts.',
      send('DELETE', '/contacts/42'),
      ['call', 'path'],
    ],
    ['Delete the contact that owes us 42 euros.', send('DELETE', '/contacts/42'), ['call', 'path']],
    ['Delete contact 42.', send('DELETE', '/contacts'), ['call']],
    [
      'Empty no notes. Update contact 42.',
      send('PUT', '/contacts/42/notes', { all: [] }),
      ['call', 'body.all'],
    ],
    [
      'Write to ann@acme.example that we start.',
      calling('send_email', {
        to: 'ann@acme.example',
        body: 'We start: https://login.evil.example/now',
      }),
      ['call', 'args.body'],
    ],
    [
      'Write to ann@acme.example that we start.',
      calling('send_email', {
        to: 'ann@acme.example',
        body: 'Nobody has to know this: the moon is made of cheese and it is quite old',
      }),
      ['call', 'args.body'],
    ],
    ['Tell ann@acme.example what is new.', calling('rotate_all_keys', {}), ['call']],
  ])('%s', async (text, call, fields) => {
    expect(await asking(text, call)).toEqual(fields)
  })

  test('more than once: what was done is done', async () => {
    const pay = send('POST', '/invoices/7/pay')
    const did = called('request', pay.args, 'paid', 'p1')
    expect(await fieldsOf([user('Pay invoice 7.'), ...STRANGER], pay)).toEqual([])
    expect(await fieldsOf([user('Pay invoice 7.'), ...did, ...STRANGER], pay)).toEqual(['call'])
    expect(
      await fieldsOf(
        [user('Pay invoice 7.'), ...did, user('What is on the page?'), ...STRANGER],
        pay,
      ),
    ).toEqual(['call'])
    expect(
      await fieldsOf(
        [user('Pay invoice 7.'), ...did, user('Pay invoice 7 again.'), ...STRANGER],
        pay,
      ),
    ).toEqual([])
  })

  test('a secret is shown with the text that it is from', async () => {
    const text = called(
      'request',
      { connection: 'crm', endpoint: '/x' },
      'The door code is 481516.',
      'r2',
    )
    const origins = await unrequestedPart(
      calling('send_email', { to: 'ann@acme.example', body: 'It is 481516.' }),
      knownFrom([user('Write to ann@acme.example that we start.'), ...text]),
      NOW,
    )
    expect(origins).toMatchObject([
      { field: 'call', value: 'send_email', from: { tool: 'request', call: 'r2' } },
      { field: 'args.body', value: '481516', from: { excerpt: 'The door code is 481516.' } },
    ])
  })
})
