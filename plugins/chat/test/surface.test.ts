import { describe, expect, test } from 'vitest'
import { framesOf, raw, served, type SseFrame } from './server.ts'

const types = (frames: readonly SseFrame[]) => frames.map(({ data }) => data['type'])
const sessionOf = ([init]: readonly SseFrame[]): string => String(init?.data['session_id'])

describe('?events=legacy', () => {
  test('names events as older clients know them, in the event line and in the data, on every stream', async () => {
    await using server = await served()
    for (const path of ['/chat', '/chat/stream', '/api/v1/chat', '/ai/stream']) {
      const frames = await framesOf(
        await server.post(`${path}?events=legacy`, { message: 'hello there' }),
      )
      expect(types(frames)).toEqual(['init', 'text', 'text', 'done'])
      expect(frames.map(({ event }) => event)).toEqual(types(frames))
      expect(frames[1]?.data).toMatchObject({
        content: expect.any(String) as string,
        delta: frames[1]?.data['content'],
      })
    }
    const original = await framesOf(
      await server.post('/chat/stream?events=legacy', { message: 'hello there' }),
    )
    const resumed = await framesOf(
      await server.get(`/chat/stream/${sessionOf(original)}?events=legacy`, {
        headers: { 'last-event-id': original[0]?.id ?? '' },
      }),
    )
    expect(types(resumed)).not.toContain('text_delta')
    expect((await server.post('/chat/stream?events=other', { message: 'x' })).status).toBe(400)
  })
})

describe('GET /ai/stream', () => {
  const EVENTS = { accept: 'text/event-stream' }

  test('sends the message of the query and streams its turn; with a key it may be retried', async () => {
    await using server = await served()
    const ask = async (query: string, headers = {}) =>
      framesOf(await server.get(`/ai/stream?${query}`, { headers: { ...EVENTS, ...headers } }))
    const frames = await ask('message=hello+there&key=k1')
    expect([types(frames).at(0), types(frames).at(-1)]).toEqual(['init', 'done'])
    const more = await ask(`message=more&session_id=${sessionOf(frames)}`)
    expect(sessionOf(more)).toBe(sessionOf(frames))
    expect(server.agent.requests).toMatchObject([
      { text: 'hello there', key: 'k1' },
      { text: 'more' },
    ])
  })

  test('refuses requests that a foreign page makes a browser send', async () => {
    await using server = await served()
    const asks: readonly [Record<string, string>, number][] = [
      [{}, 400],
      [{ accept: 'image/*' }, 400],
      [{ ...EVENTS, 'sec-fetch-site': 'cross-site' }, 403],
      [{ ...EVENTS, 'sec-fetch-site': 'none' }, 403],
      // A browser comes back by itself once the stream has ended, and `204` makes it stop.
      [{ ...EVENTS, 'last-event-id': '1.1.1.1' }, 204],
    ]
    for (const [headers, status] of asks)
      expect([headers, (await server.get('/ai/stream?message=hello', { headers })).status]).toEqual(
        [headers, status],
      )
    await raw(
      server.port,
      'HEAD /ai/stream?message=hello HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nconnection: close\r\n\r\n',
      2_000,
    )
    expect((await server.get('/ai/stream?message=', { headers: EVENTS })).status).toBe(400)
    expect(server.agent.requests).toEqual([])
  })
})

describe('a task', () => {
  test('is begun, looked at and listened to from its beginning', async () => {
    await using server = await served()
    const begun = await server.post('/task', { prompt: 'hello there' }, { 'idempotency-key': 't1' })
    const { task_id }: { task_id: string } = await begun.json()
    expect([begun.status, begun.headers.get('location')]).toEqual([202, `/task/${task_id}`])
    const response = await server.get(`/task/${task_id}/stream`)
    const frames = await framesOf(response)
    expect(types(frames)).toContain('text_delta')
    expect(types(frames).at(-1)).toBe('done')
    expect(frames.every(({ event, id }) => event === undefined && id !== undefined)).toBe(true)
    expect(await (await server.get(`/task/${task_id}`)).json()).toMatchObject({
      task_id,
      session_id: task_id,
      event_count: expect.any(Number) as number,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    })
  })

  test('that waits for a person is running, and names the question', async () => {
    await using server = await served()
    const { task_id }: { task_id: string } = await (
      await server.post('/task', { prompt: 'approve' })
    ).json()
    await expect
      .poll(async () => (await server.get(`/task/${task_id}`)).json())
      .toMatchObject({ status: 'running', pending_input: [{ pending_input_type: 'approval' }] })
  })

  test('that is none', async () => {
    await using server = await served()
    for (const body of [{}, { prompt: '' }, { prompt: 5 }, { message: 'x' }])
      expect((await server.post('/task', body)).status).toBe(400)
    for (const path of ['/task/sess_none', '/task/sess_none/stream', '/task/%00'])
      expect((await server.get(path)).status).toBe(404)
    expect((await server.get('/task/x/stream', { headers: { 'last-event-id': '7' } })).status).toBe(
      400,
    )
  })
})

describe('a click in a widget', () => {
  test('is a message to the session that showed it', async () => {
    await using server = await served()
    const frames = await framesOf(await server.post('/chat/stream', { message: 'hello' }))
    const session_id = sessionOf(frames)
    const click = { session_id, action: 'open', widget_type: 'data-table', data: { row: 3 } }
    expect(types(await framesOf(await server.post('/widget-actions', click))).at(-1)).toBe('done')
    expect(
      await (await server.post('/widget-actions', { ...click, stream: false })).json(),
    ).toMatchObject({ session_id })
    expect(server.agent.requests.at(-1)).toMatchObject({
      text: 'I chose this in a widget that you showed:\n<untrusted source="widget data-table">\n{"action":"open","data":{"row":3}}\n</untrusted>',
      session: session_id,
    })
    for (const body of [
      { action: 'open' },
      { session_id },
      { session_id, action: ' ' },
      { session_id, action: 'x', data: 'y'.repeat(200_000) },
    ]) {
      expect((await server.post('/widget-actions', body)).status).toBe(400)
    }
    expect(
      (await server.post('/widget-actions', { ...click, session_id: 'sess_none' })).status,
    ).toBe(404)
  })
})
