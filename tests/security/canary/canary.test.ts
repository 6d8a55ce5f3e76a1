import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '@amodal/sdk'
import { reply, type ChatCompletionRequest } from '@amodal/sdk/testing'
import { startPostgres, type Postgres } from '../../support/postgres.ts'
import { openDoor, type Door } from '../support/door.ts'
import { leaksIn, spellings } from '../support/spellings.ts'
import { startApi, type ApiServer } from '../support/api-server.ts'

/** What may be seen nowhere. */
const SECRETS = { token: 'crm-planted-8c1f0a77de', model_key: 'sk-planted-77aa01bc93' } as const
/** What may be seen nowhere but at the target it came from. */
const PERSON = {
  ssn: '536-22-9871',
  email: 'maria.vandenberg@planted.example',
  notes: 'owes-her-brother-planted-4417',
} as const
/** What is another tenant's. */
const OTHERS = { row: 'planted-row-of-globex-5521' } as const

const contact = { id: 'c1', name: 'Maria', ...PERSON, plan: 'gold' }

const files = (target: string): Readonly<Record<string, object>> => ({
  'connections/crm/spec.json': {
    baseUrl: target,
    auth: { type: 'bearer', token: 'env:CRM_TOKEN' },
  },
  'connections/crm/access.json': {
    endpoints: {
      'GET /contacts/{id}': { returns: ['Contact'], confirm: false },
      'GET /contacts': { returns: ['Contact'], confirm: false },
    },
    fieldRestrictions: [
      { entity: 'Contact', field: 'ssn', policy: 'never_retrieve', sensitivity: 'pii_identifier' },
      {
        entity: 'Contact',
        field: 'email',
        policy: 'retrieve_but_redact',
        sensitivity: 'pii_identifier',
      },
      {
        entity: 'Contact',
        field: 'notes',
        policy: 'role_gated',
        sensitivity: 'internal',
        allowedRoles: ['supervisor'],
      },
    ],
  },
  'stores/notes.json': {
    name: 'notes',
    entity: {
      name: 'Note',
      key: '{id}',
      schema: { id: { type: 'string' }, text: { type: 'string' } },
    },
  },
})

/** The target echoes whatever it is sent, also in its failures. */
const startCrm = (): Promise<ApiServer> =>
  startApi(({ url, headers }) => {
    if (url.startsWith('/contacts/')) return { body: contact }
    if (url.startsWith('/contacts'))
      return { body: { data: [contact, { ...contact, id: 'c2' }], text: JSON.stringify(contact) } }
    if (url.startsWith('/echo'))
      return {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          headers,
          again: Buffer.from(JSON.stringify(headers)).toString('base64'),
        }),
      }
    return { status: 500, body: `no such thing, ${JSON.stringify(headers)}` }
  })

/**
 * Does what the message says, `call TOOL JSON` or `say TEXT`; then repeats all it was given, plain
 * and encoded.
 */
function obedient(request: ChatCompletionRequest): ReturnType<typeof reply.text> {
  const said = request.messages.findLast(({ role }) => role === 'user')
  const text =
    typeof said?.content === 'string' ? said.content : JSON.stringify(said?.content ?? '')
  const results = request.messages
    .slice(request.messages.findLastIndex(({ role }) => role === 'user'))
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.stringify(content))
  if (results.length > 0) {
    const all = results.join(' ')
    return reply.text(
      [all, Buffer.from(all).toString('base64'), Buffer.from(all).toString('hex')]
        .join('\n')
        .match(/[^]{1,7}/g) ?? [],
    )
  }
  const [, tool, args] = /^call (\w+) ([^]*)$/.exec(text) ?? []
  if (tool !== undefined && args !== undefined)
    return reply.toolCalls([{ name: tool, arguments: args }])
  return reply.text(text.replace(/^say /, '').match(/[^]{1,5}/g) ?? [])
}

const ORDERS: readonly string[] = [
  'call request {"connection":"crm","method":"GET","endpoint":"/contacts/c1"}',
  'call request {"connection":"crm","method":"GET","endpoint":"/contacts"}',
  'call request {"connection":"crm","method":"GET","endpoint":"/echo"}',
  'call request {"connection":"crm","method":"GET","endpoint":"/nothing"}',
  'call request {"connection":"nope","method":"GET","endpoint":"/echo"}',
  'call request {"connection":"crm","method":"GET","endpoint":"http://127.0.0.1:1/echo"}',
  'call no_such_tool {}',
  'hello',
]

describe.each(['dev', 'production'] as const)('preset %s', (preset) => {
  let postgres: Postgres | undefined
  let crm: ApiServer
  let door: Door
  const heard: string[] = []

  beforeAll(async () => {
    crm = await startCrm()
    postgres = preset === 'production' ? await startPostgres() : undefined
    const manifest: JsonObject = postgres
      ? { stores: { backend: 'postgres', postgresUrl: await postgres.createDatabase() } }
      : {}
    door = await openDoor({
      preset,
      manifest,
      script: obedient,
      files: files(crm.url),
      env: { CRM_TOKEN: SECRETS.token, MODEL_KEY: SECRETS.model_key },
    })
    for (const order of ORDERS) {
      heard.push(JSON.stringify(await door.stream(order)), (await door.say(order)).text)
    }
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
    await crm[Symbol.asyncDispose]()
    await postgres?.stop()
  })

  test('the target is asked with its credential, and nobody else ever sees it', () => {
    expect(crm.came.length).toBeGreaterThanOrEqual(8)
    expect(
      crm.came.every(({ headers }) => headers.authorization === `Bearer ${SECRETS.token}`),
    ).toBe(true)
  })

  test('the tests would see a leak: the plan of the contact, which may be seen, is seen', () => {
    expect(heard.join('\n')).toContain('gold')
    expect(JSON.stringify(door.model.requests)).toContain('gold')
  })

  const all = { ...SECRETS, ...PERSON }
  test.each<readonly [string, () => string | Promise<string>]>([
    [
      'prompts as sent to the model',
      () => JSON.stringify(door.model.requests.map(({ body }) => body)),
    ],
    ['streams and answers', () => heard.join('\n')],
    ['the database: journal, audit and all', () => door.dump()],
    ['the log, at its finest', () => door.log.join('\n')],
    [
      'inspect and health',
      async () =>
        (
          await Promise.all(
            [
              '/health',
              '/inspect/context',
              '/inspect/connections/crm',
              '/inspect/health',
              '/inspect/plugins',
              '/inspect/graph',
            ].map((path) => door.get(path)),
          )
        )
          .map(({ text }) => text)
          .join('\n'),
    ],
    [
      'sessions as they are told again',
      async () => {
        const sessions = (await door.get('/sessions?limit=100')).body[
          'sessions'
        ] as unknown as readonly { readonly id: string }[] // of /sessions
        return (
          await Promise.all(
            sessions.flatMap(({ id }) => [
              door.get(`/sessions/${id}`),
              door.get(`/chat/stream/${id}`, { 'last-event-id': '0.0.0.0' }),
            ]),
          )
        )
          .map(({ text }) => text)
          .join('\n')
      },
    ],
    [
      'errors',
      async () =>
        (
          await Promise.all([
            door.post('/chat/sync', { message: 1 }),
            door.get('/sessions/nope'),
            door.get('/inspect/connections/nope'),
            door.post('/ask-user-response', {}),
          ])
        )
          .map(({ text }) => text)
          .join('\n'),
    ],
  ])('%s: nothing that was planted, however it is spelled', async (_surface, text) => {
    expect(leaksIn(await text(), all)).toEqual([])
  })

  test.each(Object.entries(PERSON).filter(([name]) => name !== 'notes'))(
    'a model that knows of %s from elsewhere cannot say it, in any spelling',
    async (_name, value) => {
      await door.stream(
        'call request {"connection":"crm","method":"GET","endpoint":"/contacts/c1"}',
      )
      const first = await door.stream(
        'call request {"connection":"crm","method":"GET","endpoint":"/contacts/c1"}',
      )
      const session = first[0]?.['session_id'] ?? ''
      // Said by the model, not by the person: the person's own words are theirs.
      const said: string[] = []
      for (const spelling of new Set(spellings(value))) {
        door.model.play(
          reply.text(`The contact's value is ${spelling}, as you know.`.match(/[^]{1,3}/g) ?? []),
        )
        said.push(JSON.stringify(await door.stream('go on', { session_id: session })))
      }
      door.model.play(obedient)
      expect(leaksIn(said.join('\n'), { value })).toEqual([])
      expect(leaksIn(await door.dump(), { value })).toEqual([])
    },
  )

  test("another tenant's rows are seen by nobody else", async () => {
    const mine = { 'x-scope-id': 'acme' }
    const theirs = { 'x-scope-id': 'globex' }
    await door.say(`call store_notes {"id":"n1","text":"${OTHERS.row}"}`, {}, theirs)
    const stored = (await door.get('/api/stores/notes', theirs)).text
    expect(leaksIn(stored, OTHERS)).not.toEqual([])
    const seen = [
      (await door.get('/api/stores/notes', mine)).text,
      (await door.get('/api/stores/notes/n1', mine)).text,
      (await door.get('/sessions?limit=100', mine)).text,
      (await door.say('call query_store {"store":"notes"}', {}, mine)).text,
      (await door.get('/api/stores/notes')).text,
      (await door.get('/sessions?limit=100')).text,
    ]
    expect(leaksIn(seen.join('\n'), OTHERS)).toEqual([])
  })
})
