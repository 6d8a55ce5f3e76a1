import { describe, expect, test } from 'vitest'
import { tenantId } from '@amodal/sdk'
import { framesOf, served } from './server.ts'

const errorOf = async (response: Response): Promise<{ code: string; message: string }> =>
  (await response.json()).error

describe('sending a message', () => {
  test('is answered by a stream from init to done', async () => {
    await using server = await served()
    const response = await server.post('/chat/stream', { message: 'hello there' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const frames = await framesOf(response)
    expect(frames.map(({ event }) => event)).toEqual(['init', 'text_delta', 'text_delta', 'done'])
    expect(
      frames.every(
        ({ event, data, id }) => event === data['type'] && /^\d+\.\d+\.\d+\.\d+$/.test(id ?? ''),
      ),
    ).toBe(true)
    expect(frames[0]?.data['session_id']).toMatch(/^sess_/)
    expect(frames.at(-1)?.data['reason']).toBe('model_stop')
  })

  test.each(['/chat', '/chat/stream', '/api/v1/chat', '/ai/stream'])(
    'POST %s streams',
    async (path) => {
      await using server = await served()
      expect((await framesOf(await server.post(path, { message: 'hi' }))).at(-1)?.event).toBe(
        'done',
      )
    },
  )

  test('goes on in a session, by either spelling of its id', async () => {
    await using server = await served()
    const [init] = await framesOf(
      await server.post('/chat/stream', { message: 'one', sessionId: null, session_id: null }),
    )
    const id = String(init?.data['session_id'])
    for (const body of [
      { session_id: id },
      { sessionId: id },
      { session_id: id, sessionId: id },
      { session_id: null, sessionId: id },
    ]) {
      const [again] = await framesOf(
        await server.post('/chat/stream', { message: 'more', ...body }),
      )
      expect(again?.data).toMatchObject({ session_id: id, sessionId: id })
    }
    expect(server.agent.sessions.size).toBe(1)
    for (const body of [
      { session_id: null },
      { sessionId: null },
      { session_id: null, sessionId: null },
    ])
      expect((await server.post('/chat/sync', { message: 'new', ...body })).status).toBe(200)
  })

  test('hands on what the client may choose, and never what proves who it is', async () => {
    await using server = await served()
    await server.post(
      '/chat/sync',
      {
        message: 'hi',
        max_turns: 3,
        max_session_tokens: 900,
        model: { provider: 'p', model: 'm' },
        context: { page: 'deals' },
      },
      { authorization: 'Bearer x', 'x-user': 'ann' },
    )
    expect(server.agent.requests[0]).toMatchObject({
      text: 'hi',
      limits: { maxTurns: 3, maxSessionTokens: 900, model: { provider: 'p', model: 'm' } },
      context: { page: 'deals' },
      headers: { 'x-user': 'ann' },
    })
    expect(server.agent.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  test('the same Idempotency-Key is the same message; another message under it is a conflict', async () => {
    await using server = await served()
    const key = { 'idempotency-key': 'k-1' }
    const [first] = await framesOf(await server.post('/chat/stream', { message: 'hello' }, key))
    const session_id = String(first?.data['session_id'])
    const again = await framesOf(
      await server.post(
        '/chat/stream',
        { message: 'hello', session_id },
        { 'idempotency-key': 'k-1' },
      ),
    )
    expect(again.map(({ event }) => event)).toEqual(['init', 'text_delta', 'done'])
    expect(
      server.agent.sessions
        .get([...server.agent.sessions.keys()][0]!)
        ?.entries.filter(({ kind }) => kind === 'user_message'),
    ).toHaveLength(1)
    const conflict = await server.post('/chat/stream', { message: 'other', session_id }, key)
    expect([conflict.status, (await errorOf(conflict)).code]).toEqual([409, 'MESSAGE_CONFLICT'])
  })

  test('while a question is open, the client is told that its message waits', async () => {
    await using server = await served()
    const parked: { session_id: string } = await (
      await server.post('/chat/sync', { message: 'approve' })
    ).json()
    const waiting = server.post('/chat/stream', {
      message: 'and this',
      session_id: parked.session_id,
    })
    const response = await waiting
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('event: warning')) text += (await reader?.read())?.value ?? ''
    expect(text).toMatch(/event: init[\s\S]*event: warning[\s\S]*RUN_ACTIVE/)
    await reader?.cancel()
    await server.post('/ask-user-response', {
      session_id: parked.session_id,
      id: 'ask_1',
      approved: true,
    })
  })

  test('a client that leaves cancels nothing', async () => {
    await using server = await served()
    const stop = new AbortController()
    await fetch(`${server.url}/chat/stream`, {
      method: 'POST',
      signal: stop.signal,
      headers: { 'content-type': 'application/json' },
      body: '{"message":"slow 20"}',
    })
    stop.abort()
    const [session] = server.agent.sessions.values()
    await expect.poll(() => session?.entries.at(-1)).toMatchObject({ kind: 'model_reply' })
    expect(server.agent.open).toBe(0)
  })
})

describe('what is refused, before the first byte', () => {
  const id = 'sess_unknown'
  test.each([
    [{}, /^message: /],
    [{ message: '' }, /^message: must not be empty/],
    [{ message: '  ' }, /^message: /],
    [{ message: 1 }, /^message: /],
    [[], /^body: /],
    [{ message: 'x', session_id: 'a b' }, /^session_id: /],
    [{ message: 'x', session_id: '' }, /^session_id: /],
    [{ message: 'x', session_id: 'a', sessionId: 'b' }, /^sessionId: /],
    [{ message: 'x', context: { a: 1 } }, /^context\.a: /],
    [{ message: 'x', model: 'm' }, /^model: /],
    [{ message: 'x', max_turns: 0 }, /^max_turns: /],
    [{ message: 'x'.repeat(100_001) }, /^message: /],
    [{ message: 'x', session_type: 'root', max_turns: 1.5 }, /^session_type: .*; max_turns: /],
  ])('%o is a validation error', async (body, message) => {
    await using server = await served()
    for (const path of ['/chat', '/chat/stream', '/chat/sync']) {
      const response = await server.post(path, body)
      expect(response.status).toBe(400)
      expect(await errorOf(response)).toEqual({
        code: 'VALIDATION_ERROR',
        message: expect.stringMatching(message),
      })
    }
    expect(server.agent.sessions.size).toBe(0)
  })

  test("an unknown session, somebody else's and one that cannot be answer with the same bytes, everywhere", async () => {
    await using server = await served()
    const foreign = server.agent.make(tenantId('other'), 'theirs').id
    const ways: readonly ((id: string) => Promise<Response>)[] = [
      (session) => server.post('/chat/stream', { message: 'x', session_id: session }),
      (session) => server.post('/chat/sync', { message: 'x', session_id: session }),
      (session) => server.get(`/chat/stream/${session}`),
      ...['', '/sessions/history', '/session'].flatMap((prefix) =>
        ['GET', 'PUT', 'PATCH', 'DELETE'].map(
          (method) => (session: string) =>
            server.get(`${prefix || '/sessions'}/${session}`, {
              method,
              ...(method.startsWith('P') && {
                body: '{}',
                headers: { 'content-type': 'application/json' },
              }),
            }),
        ),
      ),
      ...['cancel', 'clear', 'fork'].map(
        (verb) => (session: string) => server.post(`/sessions/${session}/${verb}`),
      ),
      (session) =>
        server.post('/ask-user-response', { session_id: session, id: 'x', approved: true }),
      (session) =>
        server.post(`/chat/sessions/${session}/ask-user-response`, { ask_id: 'x', answers: {} }),
    ]
    for (const way of ways) {
      const answers = await Promise.all(
        [id, foreign].map(async (session) => {
          const response = await way(session)
          return [
            response.status,
            [...response.headers].filter(([name]) => name !== 'date'),
            await response.text(),
          ]
        }),
      )
      expect(answers[0]).toEqual(answers[1])
      expect(answers[0]?.[0]).toBe(404)
    }
    const odd = await server.get('/sessions/a%00b')
    expect([odd.status, await odd.text()]).toEqual([
      404,
      await (await server.get(`/sessions/${id}`)).text(),
    ])
  })

  test.each(['', ' ', 'a b', 'x'.repeat(201), 'ü'])('an Idempotency-Key "%s"', async (key) => {
    await using server = await served()
    const response = await server.post(
      '/chat/stream',
      { message: 'x' },
      { 'idempotency-key': encodeURI(key) === key ? key : 'a\u00fc' },
    )
    expect(response.status).toBe(400)
    expect((await errorOf(response)).message).toMatch(/^Idempotency-Key: /)
  })

  test('images that are none', async () => {
    await using server = await served()
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]).toString(
      'base64',
    )
    const image = { mimeType: 'image/png', data: png }
    const send = (images: unknown) => server.post('/chat/sync', { message: 'look', images })
    expect((await send([image])).status).toBe(200)
    expect(server.agent.requests[0]?.assets).toEqual([{ mediaType: 'image/png', data: png }])
    for (const images of [
      [{ ...image, mimeType: 'image/jpeg' }],
      [{ ...image, data: 'not base64!' }],
      [{ ...image, mimeType: 'image/svg+xml' }],
      [{ ...image, data: '' }],
      Array(6).fill(image),
      'x',
    ]) {
      const response = await send(images)
      expect(response.status).toBe(400)
      expect((await errorOf(response)).message).toMatch(/^images/)
    }
  })

  test('a method that a path does not offer', async () => {
    await using server = await served()
    for (const [method, path] of [
      ['GET', '/chat'],
      ['GET', '/chat/stream'],
      ['DELETE', '/sessions'],
      ['POST', '/sessions/x'],
      ['PUT', '/ask-user-response'],
      ['OPTIONS', '/chat/stream'],
    ] as const) {
      const response = await server.get(path, { method })
      expect([response.status, (await errorOf(response)).code]).toEqual([405, 'NOT_ALLOWED'])
      expect(response.headers.get('allow')).toMatch(/GET|POST/)
    }
    expect((await server.get('/chat/nothing')).status).toBe(404)
  })
})

describe('one JSON answer', () => {
  test('/chat/sync, and /chat where JSON is asked for', async () => {
    await using server = await served()
    const ways = [
      server.post('/chat/sync', { message: 'hello' }),
      server.post('/chat', { message: 'hello' }, { accept: 'application/json' }),
      server.post('/chat', { message: 'hello', stream: false }),
      server.post('/chat', { message: 'hello', stream: false }, { accept: 'text/event-stream' }),
    ]
    for (const response of await Promise.all(ways)) {
      expect(response.headers.get('content-type')).toContain('application/json')
      expect(await response.json()).toMatchObject({
        session_id: expect.stringMatching(/^sess_/),
        sessionId: expect.stringMatching(/^sess_/),
        response: 'hello',
        tool_calls: [],
        reason: 'model_stop',
      })
    }
    expect(
      (
        await server.post('/chat', { message: 'x', stream: true }, { accept: 'application/json' })
      ).headers.get('content-type'),
    ).toBe('text/event-stream')
    expect(
      (
        await server.post(
          '/chat',
          { message: 'x' },
          { accept: 'application/json, text/event-stream' },
        )
      ).headers.get('content-type'),
    ).toBe('text/event-stream')
  })

  test('tells of the tools that were called, without secrets', async () => {
    await using server = await served()
    const answer = await (await server.post('/chat/sync', { message: 'tool' })).json()
    expect(answer).toMatchObject({
      response: 'Looking. Two deals.',
      tool_calls: [
        {
          tool_name: 'request',
          tool_id: 'c1',
          status: 'success',
          result: '{"deals":2}',
          duration_ms: 3,
          args: { path: '/deals', api_key: '[REDACTED]' },
        },
      ],
    })
  })

  test('a turn that waits for a person is 202, with what it waits for', async () => {
    await using server = await served()
    const response = await server.post('/chat/sync', { message: 'approve' })
    expect(response.status).toBe(202)
    expect(await response.json()).toMatchObject({
      pending_input: [
        {
          id: 'ask_1',
          tool_id: 'c1',
          pending_input_type: 'approval',
          pending_input_schema: { type: 'object' },
          pending_input_context: { params: { token: '[REDACTED]', to: 'x' } },
        },
      ],
    })
  })

  test.each<readonly [Readonly<Record<string, unknown>>, number, RegExp]>([
    [{ id: 'ask_1', approved: true, extra: 1 }, 400, /extra/],
    [
      { id: 'ask_1', approved: true, additional_turns: 3 },
      400,
      /additional_turns: says nothing here/,
    ],
    [{ id: 'ask_1', approved: true, action: 'deny' }, 400, /another field says something else/],
    [{ id: 'ask_1', action: 'perhaps' }, 400, /approved: must be true or false/],
    [{ id: 'ask_1', tool_use_id: 'c2', approved: true }, 404, /not open/],
    [
      { responses: [{ id: 'ask_1', approved: true }], approved: false },
      400,
      /approved: stands beside responses/,
    ],
    [{ tool_use_id: 'c1', approved: true }, 200, /ask_1/],
    [{ tool_id: 'c1', approved: false, feedback: 'no' }, 200, /ask_1/],
  ])('an answer %j is %i', async (answer, status, said) => {
    await using server = await served()
    const asked = await server.post('/chat/sync', { message: 'approve' })
    const { session_id } = (await asked.json()) as { readonly session_id: string }
    const response = await server.post('/ask-user-response', { session_id, ...answer })
    expect(await response.text()).toMatch(said)
    expect(response.status).toBe(status)
  })

  test('a turn that fails has the status of its error, and its session', async () => {
    await using server = await served()
    const response = await server.post('/chat/sync', { message: 'fail' })
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({
      error: { code: 'MODEL_FAILED', message: 'the model said no' },
      session_id: expect.any(String),
      reason: 'error',
    })
  })
})

describe('a stream that was cut', () => {
  test('goes on after the last event, without a gap', async () => {
    await using server = await served()
    const whole = await framesOf(await server.post('/chat/stream', { message: 'many 30' }))
    const session = String(whole[0]?.data['session_id'])
    for (const at of [0, 1, 15, whole.length - 2]) {
      const rest = await framesOf(
        await server.get(`/chat/stream/${session}`, {
          headers: { 'last-event-id': whole[at]?.id ?? '' },
        }),
      )
      expect(rest.map(({ id }) => id)).toEqual(whole.slice(at + 1).map(({ id }) => id))
    }
  })

  test('and follows a run in progress', async () => {
    await using server = await served()
    const response = await server.post('/chat/stream', { message: 'slow 30' })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('w5 ')) text += (await reader?.read())?.value ?? ''
    await reader?.cancel()
    const last = [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? ''
    const rest = await framesOf(
      await server.get(`/chat/stream/${[...server.agent.sessions.keys()][0]}`, {
        headers: { 'last-event-id': last },
      }),
    )
    const words = [...text.matchAll(/"content":"(w\d+) "/g)].map(([, word]) => word)
    expect([
      ...words,
      ...rest.flatMap(({ data }) => /w\d+/.exec(String(data['content']))?.[0] ?? []),
    ]).toEqual(Array.from({ length: 30 }, (_, n) => `w${n}`))
    expect(rest.at(-1)?.event).toBe('done')
  })

  test('is not begun for a HEAD', async () => {
    await using server = await served()
    const { session_id }: { session_id: string } = await (
      await server.post('/chat/sync', { message: 'approve' })
    ).json()
    expect(
      (await server.get(`/chat/stream/${session_id}`, { method: 'HEAD' })).headers.get(
        'content-type',
      ),
    ).toBe('text/event-stream')
    expect(server.agent.open).toBe(0)
  })

  test.each(['', 'x', '1.2.3', '1.2.3.4.5', '-1.2.3.4', '1.2.3.99999999999', '1.2.3.4,5'])(
    'a Last-Event-ID "%s" that is none',
    async (last) => {
      await using server = await served()
      const { session_id }: { session_id: string } = await (
        await server.post('/chat/sync', { message: 'x' })
      ).json()
      const response = await server.get(`/chat/stream/${session_id}`, {
        headers: { 'last-event-id': last },
      })
      expect([response.status, (await errorOf(response)).code]).toEqual([400, 'VALIDATION_ERROR'])
    },
  )
})

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

describe('answers', () => {
  const parked = async (
    server: Awaited<ReturnType<typeof served>>,
    message: string,
  ): Promise<{ id: string; done: Promise<Readonly<Record<string, unknown>>> }> => {
    const frames = framesOf(await server.post('/chat/stream', { message }))
    await expect.poll(() => [...server.agent.sessions.values()].some(({ ask }) => ask)).toBe(true)
    return {
      id: [...server.agent.sessions.keys()][0] ?? '',
      done: frames.then(
        (all) => all.find(({ data }) => String(data['content']).startsWith('You said'))?.data ?? {},
      ),
    }
  }

  test.each([
    [
      { approved: true, feedback: 'fine' },
      { approved: true, feedback: 'fine' },
    ],
    [{ approved: false }, { approved: false }],
    [{ action: 'approve' }, { approved: true }],
    [{ action: 'deny' }, { approved: false }],
    [{ response: 'yes' }, { approved: true }],
  ])('an approval is settled by %o', async (given, answer) => {
    await using server = await served()
    const { id, done } = await parked(server, 'approve')
    expect(
      await (
        await server.post('/ask-user-response', { session_id: id, id: 'ask_1', ...given })
      ).json(),
    ).toEqual({ ok: true, settled: ['ask_1'] })
    expect((await done)['content']).toBe(`You said ${JSON.stringify(answer)}.`)
  })

  test.each([
    [{ response: 'the red one' }],
    [{ answers: { q1: 'the red one' } }],
    [{ answers: ['the red one'] }],
  ])('a question is answered by %o', async (given) => {
    await using server = await served()
    const { id, done } = await parked(server, 'question')
    await server.post(`/chat/sessions/${id}/ask-user-response`, { ask_id: 'ask_1', ...given })
    expect((await done)['content']).toBe('You said {"response":"the red one"}.')
  })

  test('several at once', async () => {
    await using server = await served()
    const { id, done } = await parked(server, 'approve')
    expect(
      (
        await server.post('/ask-user-response', {
          sessionId: id,
          responses: [{ id: 'ask_1', approved: true }],
        })
      ).status,
    ).toBe(200)
    expect((await done)['content']).toContain('true')
  })

  test('what does not fit is refused, and the question stays open', async () => {
    await using server = await served()
    const { id, done } = await parked(server, 'approve')
    const refused = async (body: unknown): Promise<unknown[]> => {
      const response = await server.post('/ask-user-response', body)
      return [response.status, (await errorOf(response)).code]
    }
    expect(await refused({ session_id: id, id: 'ask_1' })).toEqual([400, 'ANSWER_INVALID'])
    expect(await refused({ session_id: id, id: 'ask_1', action: 'maybe' })).toEqual([
      400,
      'ANSWER_INVALID',
    ])
    expect(await refused({ session_id: id, id: 'other', approved: true })).toEqual([
      404,
      'ASK_NOT_FOUND',
    ])
    expect(await refused({ session_id: id, approved: true })).toEqual([400, 'VALIDATION_ERROR'])
    expect(await refused({ id: 'ask_1', approved: true })).toEqual([400, 'VALIDATION_ERROR'])
    expect(await refused({ session_id: id, responses: [] })).toEqual([400, 'VALIDATION_ERROR'])
    await server.post('/ask-user-response', { session_id: id, id: 'ask_1', approved: true })
    expect((await done)['content']).toContain('true')
    expect(await refused({ session_id: id, id: 'ask_1', approved: true })).toEqual([
      404,
      'ASK_NOT_FOUND',
    ])
  })
})
