import { describe, expect, test } from 'vitest'
import { framesOf, served } from './server.ts'

describe('sessions', () => {
  const talked = async (
    server: Awaited<ReturnType<typeof served>>,
    message = 'tool',
  ): Promise<string> => (await (await server.post('/chat/sync', { message })).json()).session_id

  test('are listed in pages', async () => {
    await using server = await served()
    for (let n = 0; n < 5; n++) await talked(server, `hello ${n}`)
    const first = await (await server.get('/sessions?limit=2')).json()
    expect(first.sessions).toHaveLength(2)
    expect(first.sessions[0]).toMatchObject({
      id: expect.any(String),
      app_id: 'agent',
      scope_id: null,
      title: 'hello 0',
      tags: [],
      status: 'active',
      message_count: 1,
      model: 'small',
      provider: null,
      cost: null,
      token_usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
    const second = await (await server.get(`/sessions?limit=3&cursor=${first.next_cursor}`)).json()
    expect([second.sessions.length, second.next_cursor]).toEqual([3, null])
    for (const query of ['limit=0', 'limit=x', 'limit=201', 'limit=1.5', 'cursor=zzz'])
      expect((await server.get(`/sessions?${query}`)).status).toBe(400)
    expect(await (await server.get('/sessions/history')).json()).toHaveLength(5)
  })

  test.each(['/sessions/', '/session/', '/sessions/history/'])(
    '%s:id has the history, as people read it',
    async (path) => {
      await using server = await served()
      const id = await talked(server)
      expect(await (await server.get(path + id)).json()).toMatchObject({
        id,
        state: 'idle',
        metadata: {},
        pending_input: [],
        messages: [
          {
            role: 'user',
            type: 'user',
            id: 'hist-0',
            text: 'tool',
            timestamp: expect.stringMatching(/Z$/),
          },
          {
            role: 'assistant',
            type: 'assistant_text',
            id: 'hist-1',
            text: 'Looking. ',
            toolCalls: [
              {
                toolId: 'c1',
                toolName: 'request',
                parameters: { path: '/deals', api_key: '[REDACTED]' },
                result: { deals: 2 },
              },
            ],
          },
          { role: 'assistant', type: 'assistant_text', id: 'hist-2', text: 'Two deals.' },
        ],
      })
    },
  )

  test('are named, tagged and removed', async () => {
    await using server = await served()
    const id = await talked(server)
    for (const method of ['PUT', 'PATCH']) {
      const response = await server.get(`/sessions/${id}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ title: method, tags: ['a'], metadata: { n: 1 } }),
      })
      expect(await response.json()).toMatchObject({ ok: true, title: method, tags: ['a'] })
    }
    expect(await (await server.get(`/sessions/${id}`)).json()).toMatchObject({
      title: 'PATCH',
      metadata: { n: 1 },
    })
    expect(
      await (await server.get(`/sessions/history/${id}`, { method: 'DELETE' })).json(),
    ).toEqual({ ok: true })
    expect((await server.get(`/sessions/${id}`)).status).toBe(404)
  })

  test('are cancelled, cleared and forked', async () => {
    await using server = await served()
    const streaming = server.post('/chat/stream', { message: 'slow 1000' })
    await expect.poll(() => server.agent.status().active).toBe(1)
    const id = [...server.agent.sessions.keys()][0]
    expect((await server.get(`/sessions/${id}`, { method: 'DELETE' })).status).toBe(409)
    expect(await (await server.post(`/sessions/${id}/cancel`)).json()).toEqual({
      ok: true,
      active: true,
      status: 'canceled',
    })
    expect((await framesOf(await streaming)).at(-1)?.data).toMatchObject({
      type: 'done',
      reason: 'user_abort',
    })
    expect(await (await server.post(`/sessions/${id}/cancel`)).json()).toEqual({
      ok: true,
      active: false,
      status: 'cannot_cancel',
      current_status: 'idle',
    })

    const forked = await server.post(`/sessions/${id}/fork`, { at: 1 })
    expect(forked.status).toBe(201)
    expect(await forked.json()).toMatchObject({ parent_id: id, forked_at: 1 })
    expect((await server.post(`/sessions/${id}/fork`)).status).toBe(201)
    for (const at of [-1, 1.5, 'x', 999])
      expect((await server.post(`/sessions/${id}/fork`, { at })).status).toBe(400)

    expect(await (await server.post(`/sessions/${id}/clear`)).json()).toEqual({ ok: true })
    expect((await (await server.get(`/sessions/${id}`)).json()).messages).toEqual([])
  })
})
