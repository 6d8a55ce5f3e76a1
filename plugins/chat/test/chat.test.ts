import { describe, expect, test } from 'vitest'
import { tenantId } from '@amodal/sdk'
import { errorOf, framesOf, served } from './server.ts'

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

  test('continues a session, by either spelling of its id', async () => {
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
      const [init] = await framesOf(await server.post('/chat/stream', { message: 'more', ...body }))
      expect(init?.data).toMatchObject({ session_id: id, sessionId: id })
    }
    expect(server.agent.sessions.size).toBe(1)
    for (const body of [
      { session_id: null },
      { sessionId: null },
      { session_id: null, sessionId: null },
    ])
      expect((await server.post('/chat/sync', { message: 'new', ...body })).status).toBe(200)
  })

  test('passes on the choices of the client, and never its credential', async () => {
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
    const repeated = await framesOf(
      await server.post(
        '/chat/stream',
        { message: 'hello', session_id },
        { 'idempotency-key': 'k-1' },
      ),
    )
    expect(repeated.map(({ event }) => event)).toEqual(['init', 'text_delta', 'done'])
    expect(
      server.agent.sessions
        .get([...server.agent.sessions.keys()][0]!)
        ?.entries.filter(({ kind }) => kind === 'user_message'),
    ).toHaveLength(1)
    const conflict = await server.post('/chat/stream', { message: 'other', session_id }, key)
    expect([conflict.status, (await errorOf(conflict)).code]).toEqual([409, 'MESSAGE_CONFLICT'])
  })

  test('a repeated message whose own turn has an open question is not one that waits', async () => {
    await using server = await served()
    const key = { 'idempotency-key': 'reload-1' }
    const textUntilQuestion = async (session_id?: string): Promise<string> => {
      const message = { message: 'approve', ...(session_id && { session_id }) }
      const response = await server.post('/chat/stream', message, key)
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      while (!text.includes('event: confirmation_required'))
        text += (await reader?.read())?.value ?? ''
      await reader?.cancel()
      return text
    }
    const first = await textUntilQuestion()
    expect(first).not.toContain('event: warning')
    const [, session] = /"session_id":"([^"]+)"/.exec(first) ?? []
    expect(await textUntilQuestion(session)).not.toContain('event: warning')
  })

  test('while a question is open, the client receives a warning that its message waits', async () => {
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

  test('unknown, foreign and malformed session ids get the same response on every route', async () => {
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
  test('/chat/sync, and /chat if JSON is requested', async () => {
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

  test('contains the tool calls, without secrets', async () => {
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
      /additional_turns: not allowed here/,
    ],
    [{ id: 'ask_1', approved: true, action: 'deny' }, 400, /contradicts another field/],
    [{ id: 'ask_1', action: 'perhaps' }, 400, /approved: must be true or false/],
    [{ id: 'ask_1', tool_use_id: 'c2', approved: true }, 404, /not open/],
    [
      { responses: [{ id: 'ask_1', approved: true }], approved: false },
      400,
      /approved: not allowed together with responses/,
    ],
    [{ tool_use_id: 'c1', approved: true }, 200, /ask_1/],
    [{ tool_id: 'c1', approved: false, feedback: 'no' }, 200, /ask_1/],
  ])('an answer %j is %i', async (answer, status, body) => {
    await using server = await served()
    const question = await server.post('/chat/sync', { message: 'approve' })
    const { session_id } = (await question.json()) as { readonly session_id: string }
    const response = await server.post('/ask-user-response', { session_id, ...answer })
    expect(await response.text()).toMatch(body)
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
