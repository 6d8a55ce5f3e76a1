import { quoting, type Json, type JsonObject, type ToolResult } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { guardFields } from '../src/index.ts'
import { isSecretField } from '../src/secret-fields.ts'
import { success, world } from './support.ts'

pluginContract(guardFields)

const PERSON = {
  ssn: '536-22-9871',
  email: 'maria@desk.example',
  street: '12 Planted Lane',
  notes: 'owes-her-brother-4417',
}
const HANDLE = /\[redacted:contact\.email:[0-9a-f]{8}\]/
const planted = /9871|maria@|Planted Lane|owes-her/i

/** What the model is told of one answer. */
async function told(
  answer: ToolResult,
  path = '/contacts/1',
  roles: readonly string[] = [],
  more = {},
): Promise<string> {
  await using crm = await world(() => answer)
  return (await crm.calls(undefined, roles, { path, ...more })).told.join('\n')
}

describe('an answer', () => {
  test.each<readonly [string, Json]>([
    ['as it is written in the rules', { id: 1, ssn: PERSON.ssn }],
    ['behind other words of a name', { id: 1, primary_contact_ssn: PERSON.ssn, workEmail: 'x' }],
    ['in camel case, in a list', { contacts: [{ id: 1, SSN: PERSON.ssn }, { Ssn: PERSON.ssn }] }],
    ['behind its name in a text', { id: 1, log: `id: 7, ssn: ${PERSON.ssn}; done` }],
    ['in a row under its name', `id,ssn,plan\n1,${PERSON.ssn},gold\n2,${PERSON.ssn},free`],
    ['at the end of a path', { id: 1, home_address: { street: PERSON.street, city: 'Lyon' } }],
    ['at the end of a path, in a list', { id: 1, homeAddress: [{ street: PERSON.street }] }],
    [
      'in another field by its value',
      { id: 1, ssn: PERSON.ssn, comment: `call about ${PERSON.ssn} tomorrow` },
    ],
  ])('has no field that is never retrieved: %s', async (_how, output) => {
    const said = await told(success(output))
    expect(said).not.toMatch(planted)
    expect(said).toMatch(/1/)
  })

  test('has neither the value nor its name', async () => {
    expect(
      await told(
        success({ id: 1, ssn: PERSON.ssn, home_address: { street: PERSON.street, city: 'Lyon' } }),
      ),
    ).toBe('{"id":1,"home_address":{"city":"Lyon"}}')
    expect(await told(success(`id,ssn,email\n1,${PERSON.ssn},"x, ${PERSON.email}"`))).toMatch(
      /^id,ssn,email\n1,\[REDACTED\],\[redacted:contact\.email:[0-9a-f]{8}\]$/,
    )
  })

  test('that is an error has none either', async () => {
    expect(
      await told({
        status: 'error',
        code: 'TARGET_ERROR',
        ...quoting(
          'crm answered 422: ',
          `{"error":"bad","record":{"ssn":"${PERSON.ssn}"}}`,
          '\nNext: correct it.',
        ),
      }),
    ).toMatch(/^[^]*crm answered 422: \{"error":"bad","record":\{\}\}\nNext: correct it\.$/)
  })

  test('nor parts of its content', async () => {
    expect(
      await told({
        status: 'success',
        output: null,
        content: [{ type: 'text', text: JSON.stringify({ ssn: PERSON.ssn }) }],
      }),
    ).not.toMatch(planted)
  })

  test('has handles in place of what may be used and not be seen, the same for the same value', async () => {
    await using crm = await world(() =>
      success([{ email: PERSON.email }, { email: PERSON.email }, { email: 'other@desk.example' }]),
    )
    const first = await crm.calls(undefined, [], { path: '/contacts/1' }, { path: '/contacts/2' })
    const next = await crm.calls(first.session, [], { path: '/contacts/1' })
    const handles = [...first.told, ...next.told].flatMap(
      (text) => text.match(new RegExp(HANDLE, 'g')) ?? [],
    )
    expect(handles).toHaveLength(9)
    expect(new Set(handles).size).toBe(2)
    expect(first.journal + next.journal).not.toMatch(/@desk/)
    await using other = await world(() => success({ email: PERSON.email }))
    expect(handles).not.toContain(
      HANDLE.exec((await other.calls(undefined, [], { path: '/contacts/1' })).told[0] ?? '')?.[0],
    )
  })

  test('has what is for a role for this role only', async () => {
    const deal = success({ id: 1, internalNotes: PERSON.notes })
    expect(await told(deal, '/deals', ['clerk'])).not.toMatch(planted)
    expect(await told(deal, '/deals', ['supervisor'])).toContain(PERSON.notes)
  })

  test('that a role has seen is not for somebody else who goes on with the session', async () => {
    await using crm = await world(() => success({ id: 1, internal_notes: PERSON.notes }))
    const { session } = await crm.calls(undefined, ['supervisor'], { path: '/deals' })
    const next = await crm.calls(session, ['clerk'], { path: '/orders' })
    expect(next.told.join()).not.toMatch(planted)
  })

  test('is judged by what the rules say it holds, and by all of them where they say nothing', async () => {
    const output = { id: 1, email: 'shop@orders.example', internal_notes: 'fragile' }
    expect(await told(success(output), '/orders')).toContain('shop@orders.example')
    expect(await told(success(output), '/unlisted')).not.toContain('shop@orders.example')
    expect(await told(success(output), '/api/orders')).toContain('shop@orders.example')
    expect(await told(success(output), '/orders%2F..%2Fcontacts/1')).not.toContain(
      'shop@orders.example',
    )
  })

  test.each<readonly [string, Json]>([
    ['the field they stand in', { order: 7, primary_contact: { email: PERSON.email } }],
    ['a list of their name', { order: 7, contacts: [{ email: PERSON.email }] }],
  ])('of something else still hides what is known of others, by %s', async (_how, output) => {
    expect(await told(success(output), '/orders')).toMatch(HANDLE)
  })

  test.each([
    '{ contact(id: 1) { a: ssn b: email } }',
    '{ contact(id: 1) { a # of it\n: # is\n ssn b\uFEFF:\remail } }',
    '{ contact(id: 1) { a:,ssn b: # no end\n email ',
  ])('of a query has nothing under another name: %j', async (query) => {
    const body = { query }
    const said = await told(
      success({ data: { contact: { a: PERSON.ssn, b: PERSON.email } } }),
      '/graphql',
      [],
      { method: 'QUERY', body },
    )
    expect(said).not.toMatch(planted)
    expect(said).toMatch(HANDLE)
  })

  test('of an inner call is cleaned before the outer one sees it', async () => {
    const said = await told(success({ ssn: PERSON.ssn, email: PERSON.email }), '/contacts/1', [], {
      tool: 'lookup',
    })
    expect(said).not.toMatch(planted)
    expect(said).toMatch(HANDLE)
  })

  test('tells how much was taken out, once for each field', async () => {
    await using crm = await world(() =>
      success({ ssn: PERSON.ssn, email: PERSON.email, plan: 'gold', api_key: 'k-0123456789' }),
    )
    const { events, journal } = await crm.calls(undefined, [], { path: '/api/contacts/77' })
    expect(events).toContainEqual({
      type: 'field_scrub',
      connection: 'crm',
      endpoint: 'GET /contacts/{id}',
      stripped_count: 3,
    })
    expect(journal).toContain('"api_key":"[MASKED]","api_key_masked":true')
  })
})

describe('an answer that is not understood', () => {
  test.each<readonly [string, Json]>([
    ['a sentence', `Maria has the number ${PERSON.ssn}`],
    ['a number', 78_051_120],
    ['JSON that was cut off', `{"id":1,"ssn":"${PERSON.ssn}","pla`],
  ])('is withheld, and it is said how to allow it: %s', async (_what, output) => {
    const said = await told(success(output))
    expect(said).not.toMatch(planted)
    expect(said).toContain(
      'The answer of "crm" to GET /contacts/{id} was withheld: it may hold Contact.ssn',
    )
    expect(said).toContain('"GET /contacts/{id}": { "allow_fields": [')
  })

  test('of a write says that it was done', async () => {
    expect(
      await told(success(`Stored ${PERSON.ssn} for Maria.`), '/contacts/1', [], { method: 'POST' }),
    ).toMatch(/^"request" ran, and what it did is done: do not repeat it\. /)
    expect(await told(success('OK'), '/contacts/1', [], { method: 'POST' })).toBe('OK')
  })

  test('in a field of an object takes nothing else with it', async () => {
    const said = await told(
      success({ id: 1, log: `the ssn of Maria is ${PERSON.ssn}`, plan: 'gold' }),
    )
    expect(said).not.toMatch(planted)
    expect(said).toMatch(
      /^\{"id":1,"log":"\[withheld: what stands here could not be read, and may hold Contact\.ssn[^"]*crm\]","plan":"gold"\}$/,
    )
  })

  test('shows no picture', async () => {
    const image: ToolResult = {
      status: 'success',
      output: { content_type: 'image/png', bytes: 4 },
      content: [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
    }
    await using crm = await world(() => image)
    const { journal } = await crm.calls(undefined, [], { path: '/contacts/1' }, { path: '/orders' })
    expect(journal.match(/iVBORw0KGgo/g)).toHaveLength(1)
  })

  test('is told where the rules say that its endpoint holds nothing restricted, or that it may pass in any form', async () => {
    expect(await told(success('Order 7 is on its way'), '/orders')).toBe('Order 7 is on its way')
    expect(await told(success('Maria asked for a call tomorrow.'), '/texts/1')).toBe(
      'Maria asked for a call tomorrow.',
    )
    expect(await told(success({ ssn: PERSON.ssn, plan: 'gold' }), '/texts/1')).toBe(
      '{"plan":"gold"}',
    )
  })

  test('that is too large or too deep to look through is withheld', async () => {
    const said = await told(
      success(Array.from({ length: 1_000_000 }, () => ({ a: { b: { c: 1 } } }))),
    )
    expect(said).toContain('scanning it takes too much work. Ask for less at once.')
    const deep = `${'{"a":['.repeat(5_000)}1${']}'.repeat(5_000)}`
    expect(await told(success(deep))).toContain('scanning it takes too much work')
  })
})

test('`allow_fields` lets through what it names, at any depth, and never what is restricted', async () => {
  const card = {
    id: 1,
    plan: 'gold',
    name: 'Maria',
    ssn: PERSON.ssn,
    address: { city: 'Lyon', street: 'x' },
    city: 'Paris',
    remark: 'his ssn is on file: 7',
    more: [{ id: 2, phone: '1' }],
  }
  expect(await told(success(card), '/cards/1')).toBe(
    '{"id":1,"plan":"gold","address":{"city":"Lyon"},"remark":"his ssn is on file: 7","more":[{"id":2}]}',
  )
  expect(await told(success(`id,name,plan\n1,Maria,gold`), '/cards/1')).toBe(
    'id,name,plan\n1,,gold',
  )
  expect(await told(success('Maria has the gold plan'), '/cards/1')).toContain('was withheld')
})

describe('a handle in arguments', () => {
  const write = (body: Json, connection = 'crm'): JsonObject => ({
    connection,
    method: 'POST',
    path: '/messages',
    body,
  })

  async function sends(
    roles: readonly string[],
    connection: string,
  ): Promise<Readonly<Record<'sent' | 'told' | 'journal', string>>> {
    await using crm = await world(({ method }) =>
      success(method === 'GET' ? { email: PERSON.email } : 'ok'),
    )
    const { session, told: first } = await crm.calls(undefined, roles, { path: '/contacts/1' })
    const handle = HANDLE.exec(first[0] ?? '')?.[0] ?? 'none'
    const next = await crm.calls(session, roles, write({ to: handle }, connection))
    return { sent: crm.sent.slice(1).join(), told: next.told.join(), journal: next.journal }
  }

  test('is its value again where it came from, and nowhere else to be read', async () => {
    const { sent, journal } = await sends([], 'crm')
    expect(sent).toBe(`{"to":"${PERSON.email}"}`)
    expect(journal).not.toMatch(planted)
  })

  test('is refused to another connection, unless the person may see it', async () => {
    const refused = await sends([], 'mail')
    expect(refused.sent).toBe('')
    expect(refused.told).toContain('mail may not be given the value')
    expect((await sends(['privacy'], 'mail')).sent).toContain(PERSON.email)
  })

  test('that nobody knows is refused', async () => {
    await using crm = await world(() => success('ok'))
    expect(
      (
        await crm.calls(undefined, [], write({ to: '[redacted:contact.email:00000000]' }))
      ).told.join(),
    ).toContain('there is no value behind')
    expect(crm.sent).toEqual([])
  })
})

test('fields of secrets are known by their names', () => {
  const secret = ['api_key', 'apiKey', 'password', 'client_secret', 'passwordHash', 'Authorization']
  const others = ['token_type', 'next_page_token', 'nextToken', 'max_tokens', 'monkey', 'key']
  expect(secret.filter((name) => !isSecretField(name))).toEqual([])
  expect(others.filter(isSecretField)).toEqual([])
})
