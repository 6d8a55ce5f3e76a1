import type { JsonObject } from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type ApiServer } from '../support/api-server.ts'
import { openDoor, type Door } from '../support/door.ts'

const EMAIL = 'maria.vandenberg@planted.example'
const SSN = '536-22-9871'
const HANDLE = /\[redacted:contact\.email:[0-9a-f]{8}\]/

/**
 * Does what the person writes as JSON: a call, or a text to say; of `HANDLE` it makes the handle it
 * was told last.
 */
const obedient: Script = ({ messages }) => {
  const last = messages.at(-1)
  if (last?.role === 'tool') return reply.text('Done.')
  const handle = HANDLE.exec(JSON.stringify(messages.slice(0, -1)))?.[0] ?? 'no handle'
  const said = JSON.parse(
    (typeof last?.content === 'string' ? last.content : '{}').replaceAll('HANDLE', handle),
  ) as { readonly say?: string; readonly call?: JsonObject }
  return said.call
    ? reply.toolCalls([{ name: 'request', arguments: said.call }])
    : reply.text((said.say ?? '').match(/[^]{1,4}/g) ?? [])
}

const get = (endpoint: string): string =>
  JSON.stringify({ call: { connection: 'crm', method: 'GET', endpoint } })
const post = (connection: string, data: JsonObject): string =>
  JSON.stringify({ call: { connection, method: 'POST', endpoint: '/messages', data } })
const say = (text: string): string => JSON.stringify({ say: text })
const textOf = (events: readonly JsonObject[]): string =>
  events
    .map(({ type, content }) =>
      type === 'text_delta' && typeof content === 'string' ? content : '',
    )
    .join('')

describe('what a connection may be told, and a person may read', () => {
  let api: ApiServer
  let door: Door
  let session: string
  const files = (url: string): Readonly<Record<string, object>> => ({
    'connections/crm/spec.json': { baseUrl: url },
    'connections/crm/access.json': {
      endpoints: {
        'GET /contacts/{id}': { returns: ['Contact'] },
        'POST /messages': { confirm: false },
      },
      fieldRestrictions: [
        {
          entity: 'Contact',
          field: 'ssn',
          policy: 'never_retrieve',
          sensitivity: 'pii_identifier',
        },
        {
          entity: 'Contact',
          field: 'email',
          policy: 'retrieve_but_redact',
          sensitivity: 'pii_identifier',
        },
      ],
    },
    'connections/mail/spec.json': { baseUrl: url },
    'connections/mail/access.json': { endpoints: { 'POST /messages': { confirm: false } } },
  })

  beforeAll(async () => {
    api = await startApi(({ url }) => ({
      body: url.startsWith('/contacts')
        ? { id: 'c1', name: 'Maria', ssn: SSN, email: EMAIL }
        : { ok: true },
    }))
    door = await openDoor({ script: obedient, files: files(api.url) })
    const events = await door.stream(get('/contacts/c1'))
    session = typeof events[0]?.['session_id'] === 'string' ? events[0]['session_id'] : ''
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'field_scrub',
        connection: 'crm',
        endpoint: 'GET /contacts/{id}',
        stripped_count: 2,
      }),
    )
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
  })

  /** A turn of which every question is answered with yes. */
  async function approved(message: string): Promise<void> {
    const { body } = await door.say(message, { session_id: session })
    for (const ask of (body['pending_input'] ?? []) as unknown as readonly {
      readonly id: string
    }[])
      await door.answer({ session_id: session, id: ask.id, approved: true })
    await expect
      .poll(async () => (await door.get(`/sessions/${session}`)).body['state'])
      .toBe('idle')
  }

  test('the connection that gave a value gets it back in the place of its handle', async () => {
    await approved(post('crm', { to: 'HANDLE', text: 'hello' }))
    expect(api.came.at(-1)?.body).toContain(`"to":"${EMAIL}"`)
  })

  test('another one does not', async () => {
    const before = api.came.length
    await approved(post('mail', { to: 'HANDLE' }))
    expect(api.came).toHaveLength(before)
  })

  test('nor does anything that was told, kept or logged hold it', async () => {
    const told =
      (await door.get(`/sessions/${session}`)).text +
      (await door.get(`/chat/stream/${session}`, { 'last-event-id': '0.0.0.0' })).text
    expect(
      told + (await door.dump()) + door.log.join('\n') + JSON.stringify(door.model.requests),
    ).not.toMatch(/vandenberg|536-?22-?9871/)
  })

  test('a reply that repeats a handle shows a mark, and one that gives away what was removed ends there', async () => {
    expect(
      textOf(await door.stream(say('Write to HANDLE, she will answer.'), { session_id: session })),
    ).toBe('Write to [REDACTED], she will answer.')
    const encoded = Buffer.from(SSN).toString('base64')
    door.model.play([reply.text(`Encoded it is ${encoded}, I think.`.match(/[^]{1,3}/g) ?? [])])
    const events = await door.stream('go on', { session_id: session })
    expect(textOf(events)).toBe(
      'Encoded it is \n\n[The rest of this reply was withheld: it held restricted data.]',
    )
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warning', code: 'OUTPUT_BLOCKED' }),
    )
  })
})

test('amodal.json says which numbers are looked for', async () => {
  await using door = await openDoor({
    script: obedient,
    manifest: { plugins: [['guard-output', { kinds: ['ssn'] }]] },
  })
  door.model.play([reply.text('Pay to GB82 WEST 1234 5698 7654 32, and not to SSN 536-22-9871.')])
  expect(textOf(await door.stream('where to?'))).toBe(
    'Pay to GB82 WEST 1234 5698 7654 32, and not to SSN [REDACTED].',
  )
})

test('without the guard the server does not start, unless that is said to be unsafe', async () => {
  await expect(
    openDoor({ script: obedient, manifest: { plugins: [{ without: 'guard-output' }] } }),
  ).rejects.toThrow(/guard-output/)
})
