import { main } from '@amodal/presets/cli'
import { Database, isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDoor, textIn, type Door, type DoorOptions } from '../security/support/door.ts'
import { as, keyFor, keysOf } from '../security/support/people.ts'

const PEOPLE = {
  anna: { tenant: 'acme' },
  bert: { tenant: 'beta' },
}
const textOf = (messages: readonly { readonly content?: unknown }[]): string => {
  const content = messages.at(-1)?.content
  return typeof content === 'string' ? content : ''
}
/** Repeats what was said, with a full stop. */
const echo: Script = ({ messages }) => reply.text(`${textOf(messages)}.`)

const suite = (cases: number): string =>
  `name: many\ncases:\n${Array.from({ length: cases }, (_, at) => `  - input: Say ${at}\n    assert: [{ contains: "Say ${at}." }]\n`).join('')}`

async function opened(options: Partial<DoorOptions> = {}): Promise<Door> {
  const door = await openDoor({
    script: echo,
    env: keysOf(PEOPLE),
    ...options,
    files: { 'evals/many.yaml': suite(3), ...(options.files as object) },
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}

const anna = as('anna')
const listIn = (body: JsonObject, field: string): readonly JsonObject[] => {
  const value = body[field]
  return isList(value) ? value.filter((one: Json) => isObject(one)) : []
}
const indexes = (body: JsonObject): readonly unknown[] =>
  listIn(body, 'results').map(({ index }) => index)

async function begun(door: Door, asked: JsonObject = {}, who = anna): Promise<string> {
  const { body, status, text } = await door.post('/api/evals/run', asked, who)
  expect({ status, text }).toMatchObject({ status: 202 })
  return textIn(body, 'id')
}

test('a conversation becomes a case, for nobody but who may see it', async () => {
  const door = await opened()
  const message = { message: 'Write to anna@example.org' }
  const { body } = await door.post('/chat/sync', message, anna)
  const request = { session: textIn(body, 'session_id'), name: 'writing' }
  const promoted = await door.post('/api/evals/promote', request, anna)
  expect(promoted.body).toMatchObject({ name: 'writing', file: 'evals/writing.yaml' })
  expect(promoted.text).toContain('person1@example.com')
  expect(promoted.text).not.toContain('anna@example.org')
  expect(await door.post('/api/evals/promote', request, as('bert'))).toMatchObject({ status: 404 })
  expect(await door.post('/api/evals/promote', { session: 7 }, anna)).toMatchObject({ status: 400 })
})

/** Looks until a run is as it should be. */
async function until(
  door: Door,
  id: string,
  isSo: (body: JsonObject) => boolean,
  who = anna,
): Promise<JsonObject> {
  for (;;) {
    const { body, status } = await door.get(`/api/evals/runs/${id}`, who)
    expect(status, JSON.stringify(body)).toBe(200)
    if (isSo(body)) return body
    await new Promise((resolve) => {
      setTimeout(resolve, 25)
    })
  }
}
/** Tables with a row of a tenant that a trial had. */
async function tablesWithTrials({ running }: Door): Promise<readonly string[]> {
  const database = running.kernel.scope.get(Database)
  const rows = async (sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const read = await database.run({ sql, parameters: [] }, AbortSignal.timeout(30_000))
    if (!read.ok) throw new Error(read.error.message)
    return read.value
  }
  const tables = await rows(
    `select distinct table_name as name from information_schema.columns
     where column_name in ('tenant', 'trial') and table_schema = current_schema()`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const [first] = await rows(
      `select count(*) as n from "${String(name)}" t where row_to_json(t)::text like '%eval-run-%'`,
    )
    if (first?.['n'] !== 0) found.push(String(name))
  }
  return found.toSorted()
}
const hasEnded = ({ status }: JsonObject): boolean => status !== 'open'

describe('a run of a server', () => {
  test('is begun, looked at, listed and compared', async () => {
    const door = await opened()
    const first = await begun(door)
    const run = await until(door, first, hasEnded)
    expect(run).toMatchObject({
      status: 'done',
      source: 'server',
      finished: 3,
      summary: { variants: [{ passed: 3, passRate: 1 }] },
    })
    expect(listIn(run, 'results')[0]).toMatchObject({
      lines: [{ label: 'contains "Say 0."', passed: true }],
      turns: [{ input: 'Say 0', text: 'Say 0.' }],
    })
    const second = await begun(door, { suites: ['many'], runs: 2 })
    await until(door, second, hasEnded)
    const { body } = await door.get('/api/evals/runs?limit=5', anna)
    expect(listIn(body, 'runs').map(({ finished, id }) => [id, finished])).toEqual([
      [second, 6],
      [first, 3],
    ])
    expect(listIn(body, 'runs')[0]).not.toHaveProperty('results')
    const compared = await door.get(`/api/evals/runs/${second}/compare?with=${first}`, anna)
    expect(listIn(compared.body, 'cases')).toHaveLength(3)
    expect(listIn(compared.body, 'cases')[0]).toMatchObject({
      change: 'same',
      before: { passed: 1 },
      now: { passed: 2 },
    })
  })

  test('shows its suites, and what is wrong with their files', async () => {
    const door = await opened({
      files: { 'evals/bad.yaml': 'cases:\n  - input: Hello\n    assert: [{ shouts: "x" }]\n' },
    })
    const { body } = await door.get('/api/evals/suites', anna)
    expect(listIn(body, 'suites')).toMatchObject([
      {
        name: 'many',
        file: 'evals/many.yaml',
        cases: [
          { name: 'case-1', line: 3, checks: [{ label: 'contains "Say 0."', line: 4 }] },
          {},
          {},
        ],
      },
    ])
    expect(listIn(body, 'issues')).toMatchObject([{ file: 'evals/bad.yaml', line: 3 }])
  })

  test.each<[JsonObject, string, string]>([
    [{ runs: 0 }, 'VALIDATION_ERROR', 'runs:'],
    [{ real: ['*'] }, 'VALIDATION_ERROR', 'real'],
    [{ suites: 'many' }, 'VALIDATION_ERROR', 'suites:'],
    [{ suites: ['few'] }, 'EVAL_INVALID', 'there is no suite "few"; there are: many'],
    [{ models: ['gpt'] }, 'EVAL_INVALID', '"gpt" is no model'],
    [{ providers: ['nobody'] }, 'EVAL_INVALID', 'no model provider "nobody"'],
  ])('%j is refused', async (asked, code, message) => {
    const door = await opened()
    expect(await door.post('/api/evals/run', asked, anna)).toMatchObject({
      status: 400,
      body: { error: { code, message: expect.stringContaining(message) } },
    })
  })

  test('is not there for another tenant', async () => {
    const door = await opened()
    const id = await begun(door)
    await until(door, id, hasEnded)
    const bert = as('bert')
    expect((await door.get('/api/evals/runs', bert)).body).toEqual({ runs: [] })
    const unknown = await door.get('/api/evals/runs/run-unknown', bert)
    expect(unknown.status).toBe(404)
    for (const path of ['', `/compare?with=${id}`])
      expect((await door.get(`/api/evals/runs/${id}${path}`, bert)).text).toBe(unknown.text)
    for (const action of ['cancel', 'resume'])
      expect((await door.post(`/api/evals/runs/${id}/${action}`, {}, bert)).text).toBe(unknown.text)
  })

  test('goes on after the server stopped in the middle, no case twice', async () => {
    const asked: string[] = []
    const gate = Promise.withResolvers<void>()
    const door = await opened({
      files: { 'evals/many.yaml': suite(6) },
      script: async ({ messages }, n) => {
        const text = textOf(messages)
        if (n === 3) await gate.promise
        else asked.push(text)
        return reply.text(`${text}.`)
      },
    })
    const id = await begun(door, { concurrency: 1 })
    await until(door, id, ({ finished }) => finished === 3)
    // The model answers the fourth case while the server stops.
    setTimeout(() => gate.resolve(), 300)
    await door.restart()
    const run = await until(door, id, hasEnded)
    expect(run).toMatchObject({ status: 'done', finished: 6 })
    expect(indexes(run)).toEqual([0, 1, 2, 3, 4, 5])
    // The fourth is asked once more where the server ended before its answer came.
    const others = asked.filter((text) => text !== 'Say 3')
    expect(others.toSorted()).toEqual(['Say 0', 'Say 1', 'Say 2', 'Say 4', 'Say 5'])
    expect(asked.length - others.length).toBeLessThanOrEqual(1)
    expect(await tablesWithTrials(door)).toEqual(['audit_head', 'audit_line'])
  })

  test('is cancelled, and resumed', async () => {
    const gate = Promise.withResolvers<void>()
    const door = await opened({
      script: async ({ messages }, n) => {
        if (n === 1) await gate.promise
        return reply.text(`${textOf(messages)}.`)
      },
    })
    const id = await begun(door, { concurrency: 1 })
    await until(door, id, ({ finished }) => finished === 1)
    expect(await door.post(`/api/evals/runs/${id}/cancel`, {}, anna)).toMatchObject({
      status: 200,
      body: { id, status: 'cancelled' },
    })
    gate.resolve()
    expect(await until(door, id, hasEnded)).toMatchObject({ status: 'cancelled', finished: 1 })
    expect((await door.post(`/api/evals/runs/${id}/resume`, {}, anna)).status).toBe(202)
    expect(await until(door, id, hasEnded)).toMatchObject({ status: 'done', finished: 3 })
    expect(await door.post(`/api/evals/runs/${id}/resume`, {}, anna)).toMatchObject({
      status: 400,
      body: { error: { code: 'EVAL_INVALID' } },
    })
  })
})

describe('the command line', () => {
  const run = async (door: Door, ...argv: string[]) => {
    let [out, err] = ['', '']
    const code = await main({
      argv: ['eval', '--url', door.url, '--dir', door.dir, ...argv],
      env: { AMODAL_CREDENTIAL: keyFor('anna') },
      write: (text) => void (out += text),
      fail: (text) => void (err += text),
      input: (async function* () {})(),
      signal: new AbortController().signal,
    })
    return { code, out, err }
  }

  test('has a server run evals, and says what came of it', async () => {
    const door = await opened()
    const { code, out } = await run(door)
    expect({ code, out }).toMatchObject({ code: 0 })
    expect(out).toMatch(/✓ many \/ case-1/)
    expect(out).toMatch(/scripted\s+3 of 3/)
    const { body } = await door.get('/api/evals/runs', anna)
    expect(listIn(body, 'runs')).toHaveLength(1)
    expect(await run(door, '--file', 'few')).toMatchObject({
      code: 1,
      err: expect.stringContaining('EVAL_INVALID: there is no suite "few"'),
    })
    expect(await run(door, '--real', '*')).toMatchObject({ code: 2 })
    expect(await run(door, '--resume', 'last')).toMatchObject({
      code: 1,
      err: expect.stringContaining('all of them are complete'),
    })
  })
})

describe('the tenant of a trial', () => {
  const STORE = {
    name: 'tickets',
    entity: {
      name: 'Ticket',
      key: '{id}',
      schema: { id: { type: 'string' }, status: { type: 'string' } },
    },
  }
  const CASE = `name: close
cases:
  - input: Close ticket 7
    setup:
      stores: { tickets: [{ id: "7", status: open }] }
    tools: { request: { result: { sent: true } } }
    assert:
      - store: { name: tickets, filter: { status: closed }, count: 1 }
      - tools_called: [dispatch_task, store_tickets, request]
      - approvals: [request]
`
  const toolCall = (name: string, args: JsonObject) => reply.toolCalls([{ name, arguments: args }])

  test('is empty afterwards: stores, an approval, a sub-agent', async () => {
    const door = await opened({
      files: {
        'evals/many.yaml': CASE,
        'stores/tickets.json': STORE,
        'connections/desk/spec.json': { baseUrl: 'http://127.0.0.1:9' },
        'connections/desk/access.json': {
          endpoints: { 'POST /notes': { returns: [], confirm: true } },
        },
      },
      script: ({ messages }) => {
        const results = messages.filter(({ role }) => role === 'tool').length
        const message = messages.findLast(({ role }) => role === 'user')
        if (JSON.stringify(message).includes('You close')) return reply.text('closing')
        switch (results) {
          case 0:
            return toolCall('dispatch_task', { prompt: 'You close tickets' })
          case 1:
            return toolCall('store_tickets', { id: '7', status: 'closed' })
          case 2:
            return toolCall('request', {
              connection: 'desk',
              method: 'POST',
              endpoint: '/notes',
              intent: 'write',
              data: { text: 'closed' },
            })
          default:
            return reply.text('Closed.')
        }
      },
    })
    const id = await begun(door)
    const run = await until(door, id, hasEnded)
    expect(listIn(run, 'results')).toMatchObject([
      { status: 'passed', calls: [{ status: 'success', output: 'closing' }, {}, {}] },
    ])
    expect(await tablesWithTrials(door)).toEqual(['audit_head', 'audit_line'])
    const rest = (await door.dump()).split('\n').filter((row) => row.includes('"eval-run-'))
    expect(rest.filter((row) => /ticket|closed|You close/i.test(row))).toEqual([])
  })
})
