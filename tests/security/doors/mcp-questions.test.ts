import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { serve } from '@hono/node-server'
import { isObject, type Json, type JsonObject } from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startApi, type ApiServer } from '../support/api-server.ts'
import { openDoor, type Door, textIn } from '../support/door.ts'

const SSN = '078-05-1121'
const EMAIL = 'ada.lovelace@example.org'
const LIMIT = 48_250
const NICKNAME = 'Countess'
const TOKEN = 's3cret-t0ken-value'
/** Nothing that anybody is shown has a part of these. */
const PLANTED = /.{0,60}(?:078.?05.?1121|ada\.lovelace|48.?250|Countess|s3cret|t0ken-value).{0,20}/g
const planted = (text: string): readonly string[] => text.match(PLANTED) ?? []
const UNSEEN = /[\u202E\u200B\u{E0041}\u0007]/u

const restricted = (field: string, policy: string): JsonObject => ({
  entity: 'Person',
  field,
  policy,
  sensitivity: 'internal',
})
const ACCESS = {
  endpoints: {
    'CALL fill': { confirm: false },
    'CALL open': { confirm: false, allow_fields: ['*'] },
  },
  default: 'allow',
  fieldRestrictions: [
    restricted('ssn', 'never_retrieve'),
    restricted('email', 'retrieve_but_redact'),
    restricted('credit_limit', 'never_retrieve'),
    restricted('nickname', 'role_gated'),
  ],
}

interface Form {
  readonly message: string
  readonly requestedSchema: {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, JsonObject>>
    readonly required?: string[]
  }
}
const form = (
  message: string,
  properties: Readonly<Record<string, JsonObject>> = {},
  required: readonly string[] = [],
): Form => ({
  message,
  requestedSchema: { type: 'object', properties, required: [...required] },
})
const note = { note: { type: 'string' } }

/** Questions by their names; a call asks all of one name, one after another. */
const QUESTIONS: Readonly<Record<string, readonly Form[]>> = {
  'a record': [
    form(JSON.stringify({ name: 'Ada', ssn: SSN, email: EMAIL, credit_limit: LIMIT }), note),
  ],
  'a sentence': [form(`Ada (${SSN}), called ${NICKNAME}, may spend ${LIMIT}. Go on?`, note)],
  'titles and options': [
    form(`name: Ada\nssn: ${SSN}`, {
      ssn: { type: 'string', title: `SSN, now ${SSN}`, default: SSN },
      email: { type: 'string', description: `email: ${EMAIL}`, default: EMAIL },
      credit_limit: { type: 'integer', default: LIMIT },
      nickname: { type: 'string', enum: [NICKNAME, 'Lady'], enumNames: [`the ${NICKNAME}`, 'L'] },
      plan: {
        type: 'string',
        oneOf: [
          { const: 'gold', title: 'Gold' },
          { const: `{"ssn":"${SSN}"}`, title: `ssn: ${SSN}` },
        ],
      },
      code: { type: 'string', pattern: `^ssn: ${SSN}$` },
    }),
  ],
  'what cannot be seen, and secrets': [
    form(`plan: \u202Egold\u200B\u{E0041}\u0007\nkey: s3cret\u200B-t0ken-value`, {
      plan: {
        type: 'string',
        title: `Pl\u200Ban ${TOKEN}`,
        enum: ['gold', TOKEN],
        enumNames: ['Go\u202Eld', 'T'],
        default: TOKEN,
      },
    }),
  ],
}
const UNASKABLE: Readonly<Record<string, readonly Form[]>> = {
  'nothing but a sentence': [form(`Delete Ada, ${SSN}?`)],
  'a field that is called by a value': [form('plan: gold', { [SSN]: { type: 'string' } })],
  'a field that is called by a secret': [form('plan: gold', { [TOKEN]: { type: 'string' } })],
  'a choice of nothing that may be shown': [
    form('plan: gold', { ssn: { type: 'string', enum: [SSN] } }, ['ssn']),
  ],
}
const MORE: Readonly<Record<string, readonly Form[]>> = {
  plain: [form('plan: gold', note)],
  proposals: [
    form('plan: gold', {
      email: { type: 'string', default: EMAIL },
      credit_limit: { type: 'integer', default: LIMIT },
    }),
  ],
  'two people': [
    form(JSON.stringify({ delete: 'contact', ssn: SSN }), note),
    form(JSON.stringify({ delete: 'contact', ssn: '219-09-9999' }), note),
  ],
  open: [form('Shall Ada go on?')],
}
const ALL = { ...QUESTIONS, ...UNASKABLE, ...MORE }

/** Asks in the middle of a call, as servers of the older protocol do. */
const OLDER = `
import { createInterface } from 'node:readline'
import { appendFileSync } from 'node:fs'
const all = ${JSON.stringify(ALL)}
const waiting = new Map()
let asked = 0
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const ask = (params) => new Promise((resolve) => {
  const id = 'ask-' + ++asked
  waiting.set(id, resolve)
  say({ id, method: 'elicitation/create', params })
})
async function call(id, name) {
  const answers = []
  for (const one of all[name]) {
    const answer = await ask(one)
    answers.push(answer)
    appendFileSync('older.log', JSON.stringify(answer) + '\\n')
    if (answer?.action !== 'accept') break
  }
  say({ id, result: { content: [{ type: 'text', text: JSON.stringify({ heard: answers.length }) }] } })
}
const tool = (name) => ({ name, inputSchema: { type: 'object', properties: { name: { type: 'string' } } } })
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line)
  if (method === undefined) return waiting.get(id)?.(result)
  if (method === 'initialize') say({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'older', version: '1' } } })
  else if (method === 'tools/list') say({ id, result: { tools: [tool('fill'), tool('open')] } })
  else if (method === 'tools/call') void call(id, params.arguments.name)
  else if (id !== undefined) say({ id, error: { code: -32601, message: 'no' } })
})`

/** What it sends is looked at by the client, not by the library of the server. */
type Elicited = Parameters<typeof inputRequired.elicit>[0]

/** Asks by ending the call, as those of the newest do. */
function newer(heard: Json[]): McpServer {
  const server = new McpServer({ name: 'newer', version: '1' })
  for (const tool of ['fill', 'open'])
    server.registerTool(
      tool,
      { inputSchema: z.object({ name: z.string() }) },
      async ({ name }, ctx) => {
        const forms = ALL[name as keyof typeof ALL] ?? []
        const answers = (ctx.mcpReq.inputResponses ?? {}) as JsonObject // checked by the library
        const [answered] = Object.entries(answers)
        if (answered) heard.push(answered[1])
        const at = answered ? Number(answered[0].slice(1)) + 1 : 0
        const next =
          isObject(answered?.[1]) && answered[1]['action'] !== 'accept' ? undefined : forms[at]
        return next === undefined
          ? { content: [{ type: 'text', text: '{"done":true}' }] }
          : inputRequired({ inputRequests: { [`q${at}`]: inputRequired.elicit(next as Elicited) } })
      },
    )
  return server
}

/** Calls what it is told to call; then it says so. */
const obedient: Script = ({ messages }) => {
  const last = messages.at(-1)
  if (last?.role === 'tool') return reply.text('Done.')
  const text = typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content)
  const [, name = '', args = '{}'] = /CALL (\w+) (.*) END/s.exec(text) ?? []
  return reply.toolCalls([{ name, arguments: JSON.parse(args) as JsonObject }])
}
/** Behind these a turn waits, or is over. */
const LAST: ReadonlySet<string> = new Set([
  'ask_user',
  'ask_choice',
  'confirmation_required',
  'done',
])
const order = (name: string, args: JsonObject): string => `CALL ${name} ${JSON.stringify(args)} END`

describe('a question of an MCP server', () => {
  const heardByNewer: Json[] = []
  let http: ReturnType<typeof serve>
  let api: ApiServer
  let door: Door

  beforeAll(async () => {
    const handler = createMcpHandler(() => newer(heardByNewer))
    http = serve({ fetch: (request) => handler.fetch(request), port: 0, hostname: '127.0.0.1' })
    await once(http, 'listening')
    const address = http.address()
    const port = typeof address === 'object' && address ? address.port : 0
    api = await startApi(() => ({ body: { name: 'Ada', ssn: SSN, email: EMAIL } }))
    door = await openDoor({
      script: obedient,
      env: { DESK_TOKEN: TOKEN },
      manifest: { plugins: [{ without: 'guard-taint', unsafe: true }] },
      files: {
        'older.mjs': OLDER,
        'connections/older/spec.json': {
          protocol: 'mcp',
          transport: 'stdio',
          command: process.execPath,
          args: ['older.mjs'],
          env: { DESK_TOKEN: 'env:DESK_TOKEN' },
        },
        'connections/older/access.json': ACCESS,
        'connections/newer/spec.json': {
          protocol: 'mcp',
          url: `http://127.0.0.1:${port}/mcp`,
          headers: { 'x-token': 'env:DESK_TOKEN' },
        },
        'connections/newer/access.json': ACCESS,
        'connections/crm/spec.json': { baseUrl: api.url },
        'connections/crm/access.json': { ...ACCESS, endpoints: {} },
      },
    })
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
    await api[Symbol.asyncDispose]()
    http.close()
  })

  interface Asked {
    readonly session: string
    readonly id: string
    /** The question as the wire has it. */
    readonly event: JsonObject
    readonly events: readonly JsonObject[]
  }
  async function ask(server: string, name: string, more: JsonObject = {}): Promise<Asked> {
    const tool = name === 'open' ? 'open' : 'fill'
    return asked(await live(order(`${server}__${tool}`, { name }), more))
  }
  /** What is told of a turn, until it is over or waits for a person. */
  async function live(message: string, more: JsonObject): Promise<readonly JsonObject[]> {
    const leave = new AbortController()
    const response = await fetch(`${door.url}/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${door.token}` },
      body: JSON.stringify({ message, ...more }),
      signal: AbortSignal.any([leave.signal, AbortSignal.timeout(30_000)]),
    })
    const events: JsonObject[] = []
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines)
        // one object a line
        if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)) as JsonObject)
      if (events.some(({ type }) => typeof type === 'string' && LAST.has(type))) break
    }
    leave.abort()
    return events
  }
  function asked(events: readonly JsonObject[]): Asked {
    const event = events.findLast(({ type }) => type === 'ask_user' || type === 'ask_choice') ?? {}
    return {
      events,
      event,
      session: textIn(
        events.find(({ type }) => type === 'init'),
        'session_id',
      ),
      id: textIn(event, 'ask_id'),
    }
  }
  /** Answers, and gives what the session waits with then. */
  async function answer(
    { session, id }: Pick<Asked, 'session' | 'id'>,
    answers: JsonObject,
  ): Promise<readonly JsonObject[]> {
    const { status, text } = await door.answer({ session_id: session, id, answers })
    expect(status, text).toBe(200)
    const open = async (): Promise<readonly JsonObject[] | undefined> => {
      const { body } = await door.get(`/sessions/${session}`)
      const pending = (body['pending_input'] ?? []) as unknown as readonly JsonObject[] // of a view
      if (body['state'] === 'idle') return []
      return pending.length > 0 && pending.every((one) => one['id'] !== id) ? pending : undefined
    }
    await expect.poll(open, { timeout: 20_000 }).toBeDefined()
    return (await open()) ?? []
  }
  const everything = async ({ session, events }: Asked): Promise<string> =>
    [
      JSON.stringify(events),
      (await door.get(`/sessions/${session}`)).text,
      ...(await door.dump()).split('\n').filter((row) => row.includes(session)),
      door.log.join('\n'),
      JSON.stringify(door.model.requests.map(({ body }) => body.messages)),
    ].join('\n')
  const older = async (): Promise<readonly string[]> => {
    const text = await readFile(`${door.dir}/older.log`, 'utf8').catch(() => '')
    return text.split('\n').filter((line) => line !== '')
  }
  const heard = async (server: string): Promise<readonly string[]> =>
    server === 'older' ? older() : heardByNewer.map((one) => JSON.stringify(one))

  describe.each(['older', 'newer'])('of the %s protocol', (server) => {
    test.each(Object.keys(QUESTIONS))('shows nobody what is restricted: %s', async (name) => {
      const one = await ask(server, name)
      expect(one.event).toMatchObject({ connection_name: server })
      const [first] = one.event['questions'] as unknown as readonly JsonObject[] // of the event
      expect(textIn(first, 'text')).toMatch(new RegExp(`^"${server}" asks, for fill: `))
      const told = await everything(one)
      expect(planted(told)).toEqual([])
      expect(JSON.stringify(one.event)).not.toMatch(UNSEEN)
      await answer(one, { _action: 'decline' })
      expect(planted(await everything(one))).toEqual([])
      expect((await heard(server)).at(-1)).toBe('{"action":"decline"}')
    })

    test('shows what is not restricted', async () => {
      const record = await ask(server, 'a record')
      expect(JSON.stringify(record.event)).toMatch(/asks, for fill: \{\\+"name\\+":\\+"Ada/)
      await answer(record, { _action: 'cancel' })
      const titles = await ask(server, 'titles and options')
      expect(JSON.stringify(titles.event)).toContain('{"value":"gold","label":"Gold"}')
      await answer(titles, { _action: 'cancel' })
      const sentence = await ask(server, 'a sentence')
      expect(JSON.stringify(sentence.event)).toContain('[withheld: what stands here could not')
      await answer(sentence, { _action: 'cancel' })
      const open = await ask(server, 'open')
      expect(open.event).toMatchObject({
        type: 'ask_choice',
        connection_name: server,
        question: `"${server}" asks, for open: Shall Ada go on?`,
      })
      await answer(open, { _action: 'cancel' })
    })

    test.each(Object.keys(UNASKABLE))(
      'is not asked where nothing is left of it: %s',
      async (name) => {
        const before = (await heard(server)).length
        const one = await ask(server, name)
        expect(one.id).toBe('')
        expect(planted(await everything(one))).toEqual([])
        expect(one.events.find(({ type }) => type === 'tool_call_result')).toMatchObject({
          status: 'error',
          error: expect.stringContaining('withheld'),
        })
        expect((await heard(server)).slice(before).join()).not.toContain('accept')
      },
    )

    test('is answered with what its server proposed, where that is left as it is', async () => {
      const one = await ask(server, 'proposals')
      expect(await answer(one, { _action: 'accept', email: '[REDACTED]' })).toEqual([])
      expect((await heard(server)).at(-1)).toBe(
        `{"action":"accept","content":{"email":"${EMAIL}","credit_limit":${LIMIT}}}`,
      )
      expect(planted(await everything(one))).toEqual([])
    })

    test('is asked for each of those that differ only in what is not shown', async () => {
      const one = await ask(server, 'two people')
      const [second] = await answer(one, { _action: 'accept', note: 'first' })
      expect(textIn(second, 'id')).not.toBe('')
      const left = await answer(
        { session: one.session, id: textIn(second, 'id') },
        { _action: 'accept', note: 'second' },
      )
      expect(left).toEqual([])
      expect((await heard(server)).slice(-2).join()).toMatch(/first.*second/)
    })

    test.each([
      ['a value that was taken out of an answer of another connection', SSN],
      ['the same in an encoding', Buffer.from(SSN).toString('base64')],
      ['a handle of another connection', 'HANDLE'],
      ['a mark', '[MASKED]'],
    ])('does not take %s to its server', async (_what, typed) => {
      const first = await door.stream(
        order('request', { connection: 'crm', endpoint: '/people/1' }),
      )
      const session = asked(first).session
      const told = JSON.stringify(door.model.requests.at(-1)?.body.messages)
      const handle = told.match(/\[redacted:[^\]]+\]/g)?.at(-1) ?? ''
      expect(handle).not.toBe('')
      const one = await ask(server, 'plain', { session_id: session })
      const before = (await heard(server)).length
      const value = typed === 'HANDLE' ? handle : typed
      const [again] = await answer({ session, id: one.id }, { _action: 'accept', note: value })
      expect(JSON.stringify(again)).toMatch(/note may not be sent/)
      expect((await heard(server)).length).toBe(before)
      const left = await answer(
        { session, id: textIn(again, 'id') },
        { _action: 'accept', note: 'as agreed' },
      )
      expect(left).toEqual([])
      expect((await heard(server)).at(-1)).toBe(
        '{"action":"accept","content":{"note":"as agreed"}}',
      )
    })
  })

  test('finds its answer after a restart, and what it held is known then', async () => {
    const one = await ask('older', 'titles and options')
    await door.restart()
    const left = await answer(one, { _action: 'accept' })
    expect(left).toEqual([])
    expect((await older()).at(-1)).toContain(`"email":"${EMAIL}"`)
    expect(planted(await everything(one))).toEqual([])
    await door.restart()
    door.model.play([reply.text(`It is ${Buffer.from(SSN).toString('base64')}, I think.`)])
    const events = await live('which number?', { session_id: one.session })
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warning', code: 'OUTPUT_BLOCKED' }),
    )
  })
})
