import { reply } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '@amodal/sdk'
import { startApi, type ApiServer } from '../support/api-server.ts'
import { openDoor, textIn, type Door } from '../support/door.ts'
import { as, keysOf } from '../support/people.ts'

const EMAIL = 'maria.vandenberg@planted.example'
const FILES = (url: string): Readonly<Record<string, object>> => ({
  'connections/crm/spec.json': { baseUrl: url },
  'connections/crm/access.json': {
    endpoints: { 'GET /contacts/{id}': { returns: ['Contact'] } },
    fieldRestrictions: [
      {
        entity: 'Contact',
        field: 'email',
        policy: 'retrieve_but_redact',
        sensitivity: 'pii_identifier',
      },
    ],
  },
})

/** How a message is sent over each wire of another protocol, in a conversation of that name. */
const WIRES: Readonly<
  Record<string, (chat: string, text: string, id: string) => readonly [string, JsonObject]>
> = {
  'the AI SDK': (id, text, message) => [
    '/chat/ai-stream',
    { id, messages: [{ id: message, role: 'user', parts: [{ type: 'text', text }] }] },
  ],
  'AG-UI': (threadId, text, runId) => [
    '/ag-ui',
    { threadId, runId, messages: [{ id: runId, role: 'user', content: text }] },
  ],
}

describe.each(Object.entries(WIRES))('the wire of %s', (_, wire) => {
  let api: ApiServer
  let door: Door
  beforeAll(async () => {
    api = await startApi(() => ({ body: { id: '1', email: EMAIL } }))
    door = await openDoor({
      env: keysOf({
        anna: { tenant: 'acme' },
        amos: { tenant: 'acme' },
        bert: { tenant: 'beta' },
        clerk: { tenant: 'acme', scopes: ['sessions'] },
      }),
      files: FILES(api.url),
      script: ({ messages }) =>
        JSON.stringify(messages.at(-1)).includes('maria')
          ? reply.toolCalls({
              name: 'request',
              arguments: { connection: 'crm', method: 'GET', endpoint: '/contacts/1' },
            })
          : reply.text(['It is ', 'maria.', 'vandenberg@', 'planted.example.']),
    })
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
  })

  const sessionOf = (text: string): string => /sess_\w+/.exec(text)?.[0] ?? 'none'
  const send = (who: string, chat: string, text: string, id: string): ReturnType<Door['post']> =>
    door.post(...wire(chat, text, id), as(who))

  test('a conversation has one session for each person, whatever others call theirs', async () => {
    const first = sessionOf((await send('anna', 'one', 'hi', 'a1')).text)
    expect(first).toMatch(/^sess_/)
    expect(sessionOf((await send('anna', 'one', 'hi', 'a2')).text)).toBe(first)
    const others = await Promise.all(
      ['amos', 'bert'].map(async (who) => sessionOf((await send(who, 'one', 'hi', 'a1')).text)),
    )
    expect(new Set([first, ...others]).size).toBe(3)
    expect((await door.get(`/sessions/${first}`, as('bert'))).status).toBe(404)
  })

  test('the same message again is one message', async () => {
    const [once, twice] = [
      await send('anna', 'two', 'hi', 'b1'),
      await send('anna', 'two', 'hi', 'b1'),
    ]
    expect(sessionOf(twice.text)).toBe(sessionOf(once.text))
    const { body } = await door.get(`/sessions/${sessionOf(once.text)}`, as('anna'))
    expect(body['messages']).toHaveLength(2)
  })

  test('tells nothing of what a person may not read', async () => {
    const told = await send('anna', 'three', 'the mail of maria', 'c1')
    expect(told.status).toBe(200)
    expect(told.text).not.toContain(EMAIL)
    expect(told.text).toMatch(/redacted/i)
    expect(told.text).not.toContain('vandenberg@')
    const listed = await door.get('/chat/ai-stream/three', as('anna'))
    expect(listed.text).not.toContain(EMAIL)
  })

  test('asks for the scope of a chat, and for JSON', async () => {
    const refused = await send('clerk', 'one', 'hi', 'd1')
    expect(refused.status).toBe(403)
    expect(textIn(refused.body['error'] as JsonObject, 'code')).toBe('FORBIDDEN_SCOPE')
    const [path, body] = wire('one', 'hi', 'd2')
    const foreign = await fetch(`${door.url}${path}`, {
      method: 'POST',
      headers: { ...as('anna'), 'content-type': 'text/plain' },
      body: JSON.stringify(body),
    })
    expect(foreign.status).toBe(415)
    const page = await door.post(path, body, { ...as('anna'), origin: 'https://evil.example' })
    expect(page.status).toBe(403)
  })

  test('takes nothing that is too long, or no message', async () => {
    expect((await send('anna', 'one', 'x'.repeat(100_001), 'e1')).status).toBe(400)
    const [path, body] = wire('one', 'hi', 'e2')
    expect((await door.post(path, { ...body, messages: [] }, as('anna'))).status).toBe(400)
    expect((await door.post(path, { ...body, messages: 7 }, as('anna'))).status).toBe(400)
  })
})
