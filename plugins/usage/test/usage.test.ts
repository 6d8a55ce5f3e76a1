import { Database, Erasers, principalId, sessionId, unwrap } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { eraserOf } from '../src/eraser.ts'
import { Usage } from '../src/tokens.ts'
import { boot, looking, PGLITE, SetClock, STORAGES, TENANT, type Json } from './support.ts'

const usage = { promptTokens: 1_000, completionTokens: 100, cachedTokens: 200 }
/** Dollars: 800 fresh at 1, 200 cached at 0.1, 100 out at 10, for a million each. */
const EACH = 0.001_82
const script = reply.text('It is 42.', { usage })
const messageOf = ({ message }: { readonly message: string }): string => message

describe.each(STORAGES)('usage in %s', (_, storage) => {
  test('is summed by day and by group', async () => {
    const clock = new SetClock()
    const door = await boot({ storage: storage(), script, clock })
    await door.say('One')
    await door.say('Two', { principal: 'ben' })
    clock.set('2026-05-02T10:00:00Z')
    await door.say('Three')
    const report = await door.json('/api/usage?from=2026-05-01&to=2026-05-03&group=principal')
    expect(report).toMatchObject({
      from: '2026-05-01T00:00:00.000Z',
      to: '2026-05-03T00:00:00.000Z',
      by: 'day',
      group: 'principal',
      total: {
        runs: 3,
        errors: 0,
        calls: 3,
        call_errors: 0,
        tokens: { input: 3_000, output: 300, cache_read: 600, cache_write: 0 },
        cost: expect.closeTo(3 * EACH, 9),
        unpriced_calls: 0,
      },
      buckets: [
        { at: '2026-05-01T00:00:00.000Z', runs: 2 },
        { at: '2026-05-02T00:00:00.000Z', runs: 1 },
      ],
      groups: [
        { key: 'ann', runs: 2 },
        { key: 'ben', runs: 1 },
      ],
      series: [
        { at: '2026-05-01T00:00:00.000Z', key: 'ann', runs: 1 },
        { at: '2026-05-01T00:00:00.000Z', key: 'ben', runs: 1 },
        { at: '2026-05-02T00:00:00.000Z', key: 'ann', runs: 1 },
      ],
    })
    const filtered = await door.json('/api/usage?from=2026-05-01&to=2026-05-03&principal=ben')
    expect(filtered).toMatchObject({
      total: { runs: 1 },
      groups: [{ key: 'openai-compatible/cheap' }],
    })
    for (const [query, runs] of [
      ['model=openai-compatible/cheap', 3],
      ['model=cheap', 0],
      ['tool=look', 0],
      ['agent=main', 3],
      ['automation=daily', 0],
      ['profile=report', 0],
    ] as const)
      expect(await door.json(`/api/usage?from=2026-05-01&to=2026-05-03&${query}`)).toMatchObject({
        total: { runs },
      })
  })

  test('days and hours are those of UTC, whatever clocks do elsewhere', async () => {
    const clock = new SetClock()
    const door = await boot({ storage: storage(), script, clock })
    // The night in which the clocks of Europe go back: 02:30 comes twice there.
    for (const at of [
      '2026-10-24T23:59:59.999Z',
      '2026-10-25T00:00:00Z',
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:30:00Z',
      '2026-10-25T23:59:59Z',
    ]) {
      clock.set(at)
      await door.say('Hi')
    }
    const counts = (report: Json): readonly unknown[] =>
      (report['buckets'] as readonly Json[]).map(({ at, runs }) => [at, runs])
    const range = 'from=2026-10-24&to=2026-10-26'
    expect(counts(await door.json(`/api/usage?${range}`))).toEqual([
      ['2026-10-24T00:00:00.000Z', 1],
      ['2026-10-25T00:00:00.000Z', 4],
    ])
    expect(counts(await door.json(`/api/usage?${range}&by=hour`))).toEqual([
      ['2026-10-24T23:00:00.000Z', 1],
      ['2026-10-25T00:00:00.000Z', 2],
      ['2026-10-25T01:00:00.000Z', 1],
      ['2026-10-25T23:00:00.000Z', 1],
    ])
  })

  test('a tenant sees its own, and some callers their own alone', async () => {
    const door = await boot({ storage: storage(), script })
    await door.say('One')
    await door.say('Two', { principal: 'ben' })
    await door.say('Three', { tenant: 'other' })
    expect(await door.json('/api/usage')).toMatchObject({ total: { runs: 2 } })
    expect(await door.json('/api/usage', { tenant: 'other' })).toMatchObject({
      total: { runs: 1 },
    })
    const own = { principal: 'ben', own: true }
    expect(await door.json('/api/usage?principal=ann', own)).toMatchObject({ total: { runs: 1 } })
    const lines = (await (await door.get('/api/usage/export', own)).text()).trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as Json)['principal'])).toEqual(['ben'])
    const refused = await door.get('/api/usage', { scopes: 'chat,sessions' })
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { error: { code: 'FORBIDDEN_SCOPE' } },
    ])
  })

  test('nothing is no error; bad parameters are', async () => {
    const door = await boot({ storage: storage(), script })
    expect(await door.json('/api/usage')).toMatchObject({
      total: { runs: 0, cost: null, run_ms: { p50: null, p95: null } },
      buckets: [],
      groups: [],
      series: [],
    })
    expect(await (await door.get('/api/usage/export')).text()).toBe('')
    for (const query of [
      'from=yesterday',
      'from=2026-05-02&to=2026-05-01',
      'from=2026-05-01&to=2026-05-01',
      'by=week',
      'group=tenant',
      'group=colour',
      'by=hour&from=2020-01-01',
      'modle=x',
      `model=${'x'.repeat(400)}`,
    ]) {
      const response = await door.get(`/api/usage?${query}`)
      expect([query, response.status, await response.json()]).toMatchObject([
        query,
        400,
        { error: { code: 'VALIDATION_ERROR' } },
      ])
    }
    expect((await door.get('/api/usage/export?format=xml')).status).toBe(400)
    expect((await door.get('/api/usage/elsewhere')).status).toBe(404)
  })

  test('is exported as lines and as a table, in pages', async () => {
    const clock = new SetClock()
    const door = await boot({
      storage: storage(),
      clock,
      entries: [looking()],
      script: reply.toolsThenText({ name: 'look', arguments: {} }, 'Fine.', { usage }),
    })
    const session = await door.say('One', { principal: '=SUM(A1)' })
    const range = 'from=2026-05-01&to=2026-05-02'
    const lines = await (await door.get(`/api/usage/export?${range}`)).text()
    expect(JSON.parse(lines)).toMatchObject({
      session_id: session,
      agent: 'main',
      automation: null,
      ended_at: '2026-05-01T09:00:00.000Z',
      calls: 2,
      cost: expect.closeTo(2 * EACH, 9),
      models: [{ name: 'openai-compatible/cheap', calls: 2, input_tokens: 2_000 }],
      tools: [{ name: 'look', calls: 1, errors: 0 }],
    })
    const table = await door.get(`/api/usage/export?${range}&format=csv`)
    expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [heads = '', row = ''] = (await table.text()).split('\r\n')
    const cells = row.split(',')
    const at = (name: string): string | undefined => cells[heads.split(',').indexOf(name)]
    expect(at('principal')).toBe("'=SUM(A1)")
    expect(at('tools')).toBe('look')
  })

  test('a run that ended with an error counts as one', async () => {
    const door = await boot({ storage: storage(), script: reply.httpError(400) })
    await door.client().ask({ text: 'One' })
    // It is counted after its end was sent.
    await expect
      .poll(() => door.json('/api/usage?group=agent'), { timeout: 30_000 })
      .toMatchObject({ total: { runs: 1, errors: 1 }, groups: [{ key: 'main', errors: 1 }] })
    const [line = ''] = (await (await door.get('/api/usage/export')).text()).split('\n')
    expect(JSON.parse(line)).toMatchObject({ reason: 'error', error: expect.any(String) })
  })
})

test('rows go when their time is over', async () => {
  const clock = new SetClock()
  const door = await boot({ storage: PGLITE(), script, clock, settings: { days: 10 } })
  await door.say('Old')
  clock.set('2026-05-08T09:00:00Z')
  await door.say('New')
  const range = 'from=2026-04-01&to=2026-06-01'
  expect(await door.json(`/api/usage?${range}`)).toMatchObject({ total: { runs: 2 } })
  clock.set('2026-05-12T09:00:00Z')
  await door.scope.get(Usage).sweep()
  expect(await door.json(`/api/usage?${range}`)).toMatchObject({ total: { runs: 1 } })
  await door.scope.get(Usage).sweep()
  expect(await door.json(`/api/usage?${range}`), 'they do not come back').toMatchObject({
    total: { runs: 1 },
  })
})

test('rows go with their person, and with the sessions that are erased', async () => {
  const door = await boot({ storage: PGLITE(), script })
  const ofAnn = await door.say('One')
  await door.say('Two', { principal: 'ben' }, ofAnn)
  await door.say('Three', { principal: 'ben' })
  await door.say('Four', { tenant: 'other' })
  await door.json('/api/usage')
  const limit = AbortSignal.timeout(120_000)
  const erased = await door.scope.get(Database).transaction(
    async (run) =>
      unwrap(
        await eraserOf({ forget: () => undefined, forgetTenant: () => undefined }).erase(
          {
            principal: principalId('ann'),
            tenant: TENANT,
            sessions: [{ tenant: TENANT, session: sessionId(ofAnn), runs: [] }],
          },
          run,
        ),
        messageOf,
      ),
    limit,
  )
  expect(unwrap(erased, messageOf)).toEqual({
    removed: 2,
    unknown: 0,
    tables: ['usage_run', 'usage_tenant'],
  })
  expect(await door.json('/api/usage?group=principal')).toMatchObject({
    groups: [{ key: 'ben', runs: 1 }],
  })
  expect(await door.json('/api/usage', { tenant: 'other' })).toMatchObject({ total: { runs: 1 } })
})

test('a run that is being written while it is erased is gone, and nobody waits for the other', async () => {
  const door = await boot({ storage: PGLITE(), script })
  const session = sessionId(await door.say('One'))
  const database = door.scope.get(Database)
  const eraser = door.kernel.current().registry(Erasers).get('usage')
  const statements = vi.spyOn(database, 'run')
  let reading: Promise<Response> | undefined
  const erased = await database.transaction(async (run) => {
    reading = door.get('/api/usage') // writes first, which has to wait for this transaction
    await vi.waitFor(() => expect(statements).toHaveBeenCalled())
    return eraser?.erase(
      {
        principal: principalId('ann'),
        tenant: TENANT,
        sessions: [{ tenant: TENANT, session, runs: [] }],
      },
      run,
    )
  }, AbortSignal.timeout(120_000))
  expect(erased).toMatchObject({ ok: true, value: { ok: true } })
  expect((await reading)?.status).toBe(200)
  expect(await door.json('/api/usage')).toMatchObject({ total: { runs: 0 } })
})
