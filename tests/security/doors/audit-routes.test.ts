import { Database, isList, isObject, use, type Json, type JsonObject } from '@amodal/sdk'
import { sql, statement } from '@amodal/sdk/database'
import { reply } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDoor, textIn, type Door } from '../support/door.ts'
import { pay } from '../support/pay.ts'
import { as, keysOf } from '../support/people.ts'

const PEOPLE = {
  anna: { tenant: 'acme' },
  bert: { tenant: 'beta' },
  carl: { tenant: 'acme', scopes: ['chat', 'sessions', 'inspect'] },
  dora: { tenant: 'acme', scopes: ['audit'] },
  backend: {},
}

const rows = (value: Json | undefined): readonly JsonObject[] =>
  isList(value) ? value.filter(isObject) : []
const entriesOf = ({ entries }: JsonObject): readonly JsonObject[] => rows(entries)

describe('the audit log over HTTP', () => {
  let door: Door
  let session: string
  beforeAll(async () => {
    const { plugin } = pay('allow')
    door = await openDoor({
      env: keysOf(PEOPLE),
      entries: [use(plugin)],
      script: (request) =>
        request.messages.at(-1)?.role === 'tool'
          ? reply.text('done')
          : reply.toolCalls([{ id: 'c1', name: 'pay', arguments: { amount: 7 } }]),
    })
    const { body } = await door.say('pay 7', {}, as('anna'))
    session = textIn(body, 'session_id')
    await door.say('pay 7', {}, as('bert'))
  })
  afterAll(() => door[Symbol.asyncDispose]())

  test('lists the newest lines of the own tenant, filtered and in pages', async () => {
    await expect
      .poll(async () =>
        entriesOf((await door.get('/api/audit?event=run_end', as('anna'))).body).map(
          ({ outcome }) => outcome,
        ),
      )
      .toEqual(['model_stop'])
    const { body } = await door.get('/api/audit', as('anna'))
    const events = entriesOf(body).map(({ event }) => event)
    expect(events).toEqual(expect.arrayContaining(['session_start', 'run_start', 'tool_call']))
    const numbers = entriesOf(body).map(({ n }) => Number(n))
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a))
    expect(body['next_cursor']).toBeNull()
    expect(entriesOf(body).find(({ event }) => event === 'write_op')).toMatchObject({
      principal: expect.stringMatching(/^key:/) as string,
      session_id: session,
      outcome: 'allow',
      data: { tool: 'pay' },
    })

    const pages: JsonObject[] = []
    for (let cursor: unknown = ''; typeof cursor === 'string';) {
      const page = await door.get(`/api/audit?limit=2&cursor=${cursor}`, as('dora'))
      expect(page.status).toBe(200)
      expect(entriesOf(page.body).length).toBeLessThanOrEqual(2)
      pages.push(...entriesOf(page.body))
      cursor = page.body['next_cursor']
    }
    expect(pages.map(({ n }) => n)).toEqual(numbers)
    const one = await door.get(`/api/audit?event=tool_call&session=${session}`, as('anna'))
    expect(entriesOf(one.body)).toMatchObject([{ event: 'tool_call', data: { tool: 'pay' } }])
    const none = await door.get('/api/audit?principal=nobody', as('anna'))
    expect(none.body).toEqual({ entries: [], next_cursor: null })
    for (const wrong of ['limit=0', 'limit=501', 'cursor=x', 'cursor=-1'])
      expect((await door.get(`/api/audit?${wrong}`, as('anna'))).status).toBe(400)
  })

  test('is of the tenant alone, and needs its scope', async () => {
    const bert = await door.get('/api/audit', as('bert'))
    expect(bert.text).not.toContain(session)
    expect(entriesOf(bert.body).length).toBeGreaterThan(3)
    expect((await door.get(`/api/audit?session=${session}`, as('bert'))).body).toEqual({
      entries: [],
      next_cursor: null,
    })
    const backend = await door.get('/api/audit?scope_id=acme', as('backend'))
    expect(backend.text).toContain(session)
    for (const path of ['/api/audit', '/api/audit?event=run_end'])
      expect((await door.get(path, as('carl'))).body).toMatchObject({
        error: { code: 'FORBIDDEN_SCOPE' },
      })
    expect((await door.post('/api/audit/verify', {}, as('carl'))).status).toBe(403)
    expect((await door.get('/api/audit')).status).toBe(401)
  })

  test('verifies as the command does, and says what to do about each finding', async () => {
    const intact = await door.post('/api/audit/verify', {}, as('anna'))
    expect(intact.body).toMatchObject({ ok: true, problems: [], acknowledged: [] })
    expect(Number(intact.body['lines'])).toBeGreaterThan(3)
    expect(Number(intact.body['checkpoints'])).toBeGreaterThan(0)

    const database = door.running.kernel.scope.get(Database)
    for (const one of CHANGE) await database.run(one(), AbortSignal.timeout(10_000))
    const changed = await door.post('/api/audit/verify', {}, as('anna'))
    expect(changed.body['ok']).toBe(false)
    const problems = rows(changed.body['problems'])
    expect(problems[0]).toMatchObject({
      text: 'line 2 was changed, or what stood before it was',
      id: expect.stringMatching(/^2:[0-9a-f]{32}$/) as string,
      fix: expect.stringContaining('amodal ops audit acknowledge 2:') as string,
    })
    // of another tenant
    expect((await door.post('/api/audit/verify', {}, as('bert'))).body).toMatchObject({ ok: true })
  })
})

/** What an attacker with the database does. */
const CHANGE = [
  statement(() => sql<never>`alter table audit_line disable trigger user`),
  statement(
    () =>
      sql<never>`update audit_line set body = replace(body, '"kind"', '"kind" ') where tenant = 'acme' and n = 2`,
  ),
]
