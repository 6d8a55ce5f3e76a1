import { Database, tenantId, unwrap } from '@amodal/sdk'
import { runQuery, sql, tenantDatabase } from '@amodal/sdk/database'
import { contentText, reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { serving, type Serving } from './support/serving.ts'

const limit = AbortSignal.timeout(60_000)

/** Goes through the list in pages of this size. */
async function idsIn(server: Serving, size: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let before = ''; ;) {
    const { body } = await server.get(`/agents?limit=${size}${before}`)
    const sessions = body['sessions'] as readonly { readonly session_id: string }[]
    ids.push(...sessions.map(({ session_id }) => session_id))
    if (typeof body['next_before'] !== 'string') return ids
    before = `&before=${encodeURIComponent(body['next_before'])}`
  }
}

test('a list leaves out no run, whenever it was started', async () => {
  const server = await serving({ script: reply.text('Hello.') })
  const ids: string[] = []
  for (let n = 0; n < 6; n++) ids.push(await server.run(`task ${n}`))
  for (const id of ids) await server.until(id, 'complete')
  const database = tenantDatabase(server.kernel.scope.get(Database), tenantId('acme'))
  const move = async (of: readonly string[], at: string) =>
    unwrap(
      await runQuery(
        database,
        sql`update agent_runs_run set created_at = ${at}::timestamptz
          where session = any(${[...of]}::text[])`,
        limit,
      ),
      ({ message }) => message,
    )
  // Some of the same moment, and some of the same millisecond.
  await move(ids.slice(0, 3), '2026-01-02T03:04:05.678901Z')
  await move(ids.slice(3, 5), '2026-01-02T03:04:05.678902Z')
  const all = await idsIn(server, 50)
  expect(all.toSorted()).toEqual(ids.toSorted())
  for (const size of [1, 2, 3, 6]) expect(await idsIn(server, size)).toEqual(all)
  const earlier = await server.get('/agents?before=2026-01-02T03:04:05.678902Z')
  expect(earlier.body['sessions']).toHaveLength(3)
}, 120_000)

test('a list has runs that stand where it asks for, in pages', async () => {
  const server = await serving({
    script: ({ messages }) =>
      messages.some((message) => contentText(message).includes('Wait for me'))
        ? reply.toolCalls({ name: 'ask_user', arguments: { question: 'Which?' } })
        : reply.text('Hello.'),
  })
  const done = [await server.run('one'), await server.run('two')]
  const waits = await server.run('Wait for me')
  const task = 'x'.repeat(300)
  const long = await server.run(task)
  for (const id of [...done, long]) await server.until(id, 'complete')
  await server.until(waits, 'awaiting_input')
  const list = async (query: string) => (await server.get(`/agents?${query}`)).body
  expect(await list('status=awaiting_input')).toMatchObject({
    sessions: [{ session_id: waits, status: 'awaiting_input', task: 'Wait for me', turns_used: 1 }],
    next_before: null,
  })
  const first = await list('status=complete&limit=2')
  expect(first['sessions']).toMatchObject([{ session_id: long }, { session_id: done[1] }])
  const [{ task: short, started_by: by } = {}] = first['sessions'] as readonly {
    readonly task?: string
    readonly started_by?: string
  }[]
  expect(short).toMatch(/^x{200}[^x]/)
  expect(by).toEqual((await server.get(`/agents/${long}/status`)).body['started_by'])
  const before = encodeURIComponent(String(first['next_before']))
  expect(await list(`status=complete&limit=2&before=${before}`)).toMatchObject({
    sessions: [{ session_id: done[0] }],
    next_before: null,
  })
  // of those that go on, none is queued: the page is empty
  expect(await list('status=queued')).toMatchObject({ sessions: [], next_before: null })
  expect((await server.get('/agents?status=done')).status).toBe(400)
}, 120_000)

test('what is no cursor is refused', async () => {
  const server = await serving({ script: reply.text('Hello.') })
  for (const before of ['yesterday', '_x', '2026-01-02T03:04:05Z_%00'])
    expect(await server.get(`/agents?before=${before}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'VALIDATION_ERROR' } },
    })
})

test('events and artifacts of another tenant do not exist, to the byte', async () => {
  const server = await serving({ script: reply.text('Hello.') })
  const id = await server.run('hi')
  await server.until(id, 'complete')
  for (const what of ['events', 'artifacts']) {
    expect((await server.get(`/agents/${id}/${what}`)).status).toBe(200)
    const theirs = await server.get(`/agents/${id}/${what}`, 'bolt')
    expect(theirs.status).toBe(404)
    expect(theirs).toEqual(await server.get(`/agents/sess_unknown/${what}`, 'bolt'))
  }
  const [first] = (await server.get(`/agents/${id}/events?limit=1`)).body['events'] as object[]
  expect(first).toBeDefined()
  expect((await server.get(`/agents/${id}/events?after=soon`)).status).toBe(400)
})
