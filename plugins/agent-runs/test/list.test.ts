import { Database, tenantId, unwrap } from '@amodal/sdk'
import { runQuery, sql, tenantDatabase } from '@amodal/sdk/database'
import { reply } from '@amodal/sdk/testing'
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
