import { chat } from '@amodal/plugin-chat'
import { dbPglite } from '@amodal/plugin-db-pglite'
import { http } from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { sessions } from '@amodal/plugin-sessions'
import {
  ApprovalPolicy,
  definePlugin,
  explain,
  Kernel,
  ok,
  SessionStore,
  unwrap,
  use,
  type HookTaps,
} from '@amodal/sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startTestAgent, type TestAgentOptions } from './support/agent.ts'
import { success, writes } from './support/tools.ts'

type Body = Readonly<Record<string, unknown>>

const confirms = ({ tool }: HookTaps): void => {
  tool.guard.tap((verdict) => verdict.raise('confirm', 'sure?'))
}

/**
 * An agent behind its HTTP API. `write …` asks for an approval, `fail` fails, anything else is
 * answered.
 */
async function served(more: TestAgentOptions = {}) {
  const agent = await startTestAgent({
    script: ({ said, results }) => {
      if (said === 'fail') return { text: 'so ', breaks: 'the model said no' }
      return said.startsWith('write') && Object.keys(results).length === 0
        ? { calls: [{ name: 'write', id: 'w' }] }
        : { text: `re: ${said}` }
    },
    tools: [writes('write', () => success('done'))],
    taps: confirms,
    plugins: [use(http, { port: 0 }), use(chat)],
    ...more,
  })
  const url = `http://127.0.0.1:${agent.kernel.scope.get(HttpApp).address()?.port ?? 0}`
  const json = async (response: Response): Promise<Body> => ({
    ...((await response.json()) as Body),
    http: response.status,
  })
  const get = async (path: string): Promise<Body> => json(await fetch(url + path))
  const post = async (
    path: string,
    body: Body = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Body> =>
    json(
      await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    )
  const say = async (message: string): Promise<string> =>
    String((await post('/chat/sync', { message }))['session_id'])
  return { get, post, say }
}

const idsOf = (list: Body): readonly unknown[] =>
  (list['sessions'] as readonly Body[]).map(({ id }) => id)

describe('a list of sessions', () => {
  test('marks those that wait for a person and those that failed, counts and filters them', async () => {
    const { get, post, say } = await served()
    const [waits, failed, fine] = [await say('write it'), await say('fail'), await say('hello')]
    const list = await get('/sessions')
    const row = (id: string) =>
      (list['sessions'] as readonly Body[]).find((one) => one['id'] === id)
    expect(list).toMatchObject({ waiting_count: 1 })
    expect(row(waits)).toMatchObject({ waiting: 1, failed: false, provider: 'scripted' })
    expect(row(failed)).toMatchObject({
      waiting: 0,
      failed: true,
      last_end: {
        reason: 'error',
        code: expect.any(String),
        message: expect.any(String),
        at: expect.any(String),
      },
    })
    expect(row(fine)).toMatchObject({
      waiting: 0,
      failed: false,
      last_end: { reason: 'model_stop' },
    })
    expect(idsOf(await get('/sessions?waiting=true'))).toEqual([waits])
    expect(idsOf(await get('/sessions?waiting=false'))).toEqual([fine, failed])
    const [ask] = (await get(`/sessions/${waits}`))['pending_input'] as readonly Body[]
    await post('/ask-user-response', { session_id: waits, id: ask?.['id'], approved: true })
    await expect.poll(async () => (await get('/sessions'))['waiting_count']).toBe(0)
    await expect
      .poll(async () => (await get(`/sessions/${waits}`))['last_end'])
      .toMatchObject({ reason: 'model_stop' })
  })

  test('is searched, and filtered by where sessions stand, by model and by time', async () => {
    const { get, post, say } = await served()
    const [waits, failed, fine] = [await say('write it'), await say('fail'), await say('hello')]
    const empty = (await post('/sessions', { title: 'Refund' }))['id']
    const ids = async (query: string) => idsOf(await get(`/sessions?${query}`))
    expect(await ids('status=waiting')).toEqual([waits])
    expect(await ids('status=failed')).toEqual([failed])
    expect(await ids('status=done')).toEqual([fine])
    expect(await ids('status=running')).toEqual([])
    expect(await ids('q=refund')).toEqual([empty])
    expect(await ids(`q=${fine.slice(0, 15)}&status=done`)).toEqual([fine])
    expect(await ids('q=refund&status=done')).toEqual([])
    expect(await ids('model=no-such-model')).toEqual([])
    expect(await ids('from=2999-01-01')).toEqual([])
    expect(await ids('to=2000-01-01T00:00:00%2B01:00')).toEqual([])
    expect(await ids('from=2000-01-01&to=2999-01-01')).toHaveLength(4)
    const first = await get('/sessions?limit=1&from=2000-01-01&status=failed')
    expect(first).toMatchObject({ next_cursor: null, waiting_count: 1 })
    expect(await get(`/sessions/${failed}`)).toMatchObject({ standing: 'failed' })
    expect(await get(`/sessions/${String(empty)}`)).toMatchObject({ standing: null })
  })

  test.each([
    ['status=broken', 'status: '],
    ['from=yesterday', 'from: must be a date'],
    ['to=2026-02-30', 'to: must be a date'],
    [`q=${'x'.repeat(201)}`, 'q: '],
  ])('?%s is refused', async (query, message) => {
    const { get } = await served()
    expect(await get(`/sessions?${query}`)).toMatchObject({
      http: 400,
      error: { code: 'VALIDATION_ERROR', message: expect.stringContaining(message) as string },
    })
  })

  test('has sessions that were made empty, by their tags', async () => {
    const { get, post } = await served()
    const created = await post('/sessions', {
      title: 'Board',
      tags: ['a', 'b'],
      metadata: { team: 'x' },
    })
    expect(created).toMatchObject({
      http: 201,
      title: 'Board',
      tags: ['a', 'b'],
      message_count: 0,
      waiting: 0,
      failed: false,
    })
    const other = await post('/sessions', { tags: ['b'] })
    expect(idsOf(await get('/sessions?tags=b'))).toHaveLength(2)
    expect(idsOf(await get('/sessions?tags=a,b'))).toEqual([created['id']])
    expect(idsOf(await get('/sessions?tags=c'))).toEqual([])
    expect(await get(`/sessions/${String(created['id'])}`)).toMatchObject({
      metadata: { team: 'x' },
      messages: [],
    })
    expect(await post('/chat/sync', { message: 'hello', session_id: other['id'] })).toMatchObject({
      http: 200,
      response: 're: hello',
      session_id: other['id'],
    })
  })

  test('counts those that wait also where only those are asked for in which somebody has to decide', async () => {
    const { get, say } = await served()
    await say('write it')
    expect(await get('/sessions?attention=true')).toMatchObject({ sessions: [], waiting_count: 1 })
  })
})

describe.each(['memory', 'database'])('an empty session in the %s', (where) => {
  const begun = async () => {
    if (where === 'memory') return served()
    const kernel = unwrap(
      await Kernel.create([use(dbPglite, { dataDir: 'memory://' }), use(sessions)]),
      explain,
    )
    onTestFinished(async () => {
      await kernel.close()
    })
    return served({ store: kernel.scope.get(SessionStore) })
  }

  test('takes its title from the first message, and no other one', async () => {
    const { get, post } = await begun()
    const [{ id }, named] = [await post('/sessions'), await post('/sessions', { title: 'Board' })]
    expect(await get(`/sessions/${String(id)}`)).toMatchObject({ title: '' })
    for (const message of ['Which  incidents\nare there?', 'and now?'])
      await post('/chat/sync', { message, session_id: id })
    await post('/chat/sync', { message: 'hello', session_id: named['id'] })
    expect(await get(`/sessions/${String(id)}`)).toMatchObject({
      title: 'Which incidents are there?',
      message_count: 4,
    })
    expect(await get(`/sessions/${String(named['id'])}`)).toMatchObject({ title: 'Board' })
  })

  test('is made once for one Idempotency-Key, whatever became of it since', async () => {
    const { get, post } = await begun()
    const key = { 'idempotency-key': 'k-1' }
    const body = { tags: ['a'], metadata: { team: 'x' } }
    const created = await Promise.all([post('/sessions', body, key), post('/sessions', body, key)])
    expect(created).toMatchObject([
      { http: 201, tags: ['a'] },
      { http: 201, tags: ['a'] },
    ])
    const [first, second] = created
    expect(second?.['id']).toBe(first?.['id'])
    await post('/chat/sync', { message: 'hello', session_id: first?.['id'] })
    expect(await post('/sessions', body, key)).toMatchObject({
      http: 201,
      id: first?.['id'],
      title: 'hello',
    })
    expect(await post('/sessions', { ...body, title: 'Other' }, key)).toMatchObject({
      http: 409,
      error: { code: 'MESSAGE_CONFLICT' },
    })
    expect(await post('/sessions', body, { 'idempotency-key': 'k 1' })).toMatchObject({ http: 400 })
    // a message of its own, in a session of its own
    const other = await post('/chat/sync', { message: 'hello' }, key)
    expect(other).toMatchObject({ http: 200 })
    expect(idsOf(await get('/sessions'))).toEqual([other['session_id'], first?.['id']])
  })
})

describe('a session afterwards', () => {
  test.each([
    [{ approved: true }, { decision: 'approved' }],
    [
      { approved: false, feedback: 'not now' },
      { decision: 'declined', feedback: 'not now' },
    ],
  ])(
    'says what was asked and that the answer %j came, by whom and when',
    async (answer, expected) => {
      const { get, post, say } = await served()
      const session = await say('write it')
      expect(await get(`/sessions/${session}`)).toMatchObject({
        approvals: [{ tool_name: 'write', tool_id: 'w', decision: null }],
      })
      const [ask] = (await get(`/sessions/${session}`))['pending_input'] as readonly Body[]
      expect(
        await post('/ask-user-response', { session_id: session, id: ask?.['id'], ...answer }),
      ).toMatchObject({ ok: true })
      const decision = {
        ask_id: ask?.['id'],
        by: expect.any(String),
        at: expect.any(String),
        ...expected,
      }
      await expect.poll(async () => (await get(`/sessions/${session}`))['state']).toBe('idle')
      const after = await get(`/sessions/${session}`)
      expect(after['approvals']).toMatchObject([
        {
          ...decision,
          tool_name: 'write',
          asked: { reason: 'sure?', tool_id: 'write', tool_use_id: 'w' },
          asked_at: expect.any(String),
        },
      ])
      expect(
        (after['messages'] as readonly Body[]).flatMap(
          ({ toolCalls = [] }) => toolCalls as readonly Body[],
        ),
      ).toMatchObject([{ toolId: 'w', approval: decision }])
    },
  )

  test('says of an approval whose time was over that nobody decided it', async () => {
    const hasty = definePlugin({
      name: 'hasty',
      version: '1.0.0',
      provides: [ApprovalPolicy],
      setup({ provide }) {
        provide(ApprovalPolicy, () => ({ expiresInMs: () => 40, mayAnswer: () => ok(undefined) }))
      },
    })
    const { get, say } = await served({ plugins: [use(http, { port: 0 }), use(chat), use(hasty)] })
    const session = await say('write it')
    await expect
      .poll(async () => (await get(`/sessions/${session}`))['last_end'], { timeout: 20_000 })
      .toBeDefined()
    const [approval] = (await get(`/sessions/${session}`))['approvals'] as readonly Body[]
    expect(approval).toMatchObject({ decision: 'expired', at: expect.any(String) })
    expect(approval).not.toHaveProperty('by')
  })

  test('cannot be cancelled any more, and says how it stands', async () => {
    const { post, say } = await served()
    expect(await post(`/sessions/${await say('hello')}/cancel`)).toMatchObject({
      http: 200,
      active: false,
      status: 'cannot_cancel',
      current_status: 'complete',
    })
    expect(await post(`/sessions/${await say('fail')}/cancel`)).toMatchObject({
      status: 'cannot_cancel',
      current_status: 'error',
    })
    const waits = await say('write it')
    expect(await post(`/sessions/${waits}/cancel`)).toMatchObject({
      active: true,
      status: 'canceled',
    })
    await expect
      .poll(() => post(`/sessions/${waits}/cancel`))
      .toMatchObject({ status: 'cannot_cancel', current_status: 'canceled' })
  })
})
