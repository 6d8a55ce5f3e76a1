import { describe, expect, it } from 'vitest'
import { lastUserText, reply } from '../src/testing/model-server.ts'
import { ask, type Chunk, chunks, finishOf, hello, serve, textOf } from './model-client.ts'

describe('an answer in text', () => {
  it('streams the chunks of the script as an event stream that ends in [DONE]', async () => {
    const server = await serve(reply.text(['Hel', 'lo']))
    const response = await ask(server)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const text = await response.text()
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(text).toContain('"content":"Hel"')
    expect(text).toContain('"content":"lo"')
    expect(text).toContain('"model":"test-model"')
  })

  it('reports usage, cached tokens among it, only where the client asks for it', async () => {
    const server = await serve(reply.text('x', { usage: { promptTokens: 50, cachedTokens: 40 } }))
    const without = await chunks(await ask(server))
    expect(without.every((chunk) => chunk.usage === undefined)).toBe(true)
    const withUsage = await chunks(await ask(server, { stream_options: { include_usage: true } }))
    expect(withUsage.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 50,
        completion_tokens: 1,
        total_tokens: 51,
        prompt_tokens_details: { cached_tokens: 40 },
      },
    })
  })

  it('ends with the finish reason of the script', async () => {
    const server = await serve(reply.text('cut off', { finishReason: 'length' }))
    expect(finishOf(await chunks(await ask(server)))).toBe('length')
  })

  it('waits between the chunks for as long as the pace says', async () => {
    const server = await serve(reply.text(['a', 'b', 'c', 'd'], { pace: 25 }))
    const before = performance.now()
    expect(textOf(await chunks(await ask(server)))).toBe('abcd')
    expect(performance.now() - before).toBeGreaterThan(70)
  })

  it('answers as one JSON body where no stream was asked for', async () => {
    const server = await serve(reply.text(['Hel', 'lo']))
    const body: unknown = await (await ask(server, { stream: false })).json()
    expect(body).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      usage: { completion_tokens: 2 },
    })
  })
})

describe('tool calls', () => {
  const lookup = { name: 'lookup', arguments: { key: 'a' } }

  /** Puts streamed calls together the way a client does. */
  function assemble(
    list: readonly Chunk[],
  ): { id: string | undefined; name: string; args: string; pieces: number }[] {
    const calls: { id: string | undefined; name: string; args: string; pieces: number }[] = []
    for (const part of list.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])) {
      const call = (calls[part.index] ??= {
        id: part.id,
        name: part.function.name ?? '',
        args: '',
        pieces: -1,
      })
      call.args += part.function.arguments
      call.pieces += 1
    }
    return calls
  }

  it('streams the arguments in pieces', async () => {
    const server = await serve(reply.toolCalls({ ...lookup, pieces: 4 }))
    const list = await chunks(await ask(server))
    expect(assemble(list)).toEqual([
      { id: expect.any(String), name: 'lookup', args: '{"key":"a"}', pieces: 4 },
    ])
    expect(finishOf(list)).toBe('tool_calls')
  })

  it('makes several calls in parallel, each with an id of its own, on every request anew', async () => {
    const server = await serve(reply.toolCalls([lookup, { ...lookup, arguments: { key: 'b' } }]))
    const first = assemble(await chunks(await ask(server)))
    const second = assemble(await chunks(await ask(server)))
    expect(first.map((call) => call.args)).toEqual(['{"key":"a"}', '{"key":"b"}'])
    expect(new Set([...first, ...second].map((call) => call.id)).size).toBe(4)
  })

  it('sends ids, unknown names and broken arguments exactly as scripted', async () => {
    const server = await serve(
      reply.toolCalls([
        { id: 'same', name: 'no_such_tool', arguments: '{"key":' },
        { id: 'same', name: 'lookup', arguments: {} },
      ]),
    )
    expect(assemble(await chunks(await ask(server)))).toMatchObject([
      { id: 'same', name: 'no_such_tool', args: '{"key":' },
      { id: 'same', name: 'lookup', args: '{}' },
    ])
  })

  it('goes on in text once the results are in', async () => {
    const server = await serve(reply.toolsThenText(lookup, 'Found it.'))
    const [call] = assemble(await chunks(await ask(server)))
    const answer = await ask(server, {
      messages: [
        ...hello,
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: call?.id, type: 'function', function: { name: 'lookup', arguments: call?.args } },
          ],
        },
        { role: 'tool', tool_call_id: call?.id, content: '42' },
      ],
    })
    expect(textOf(await chunks(answer))).toBe('Found it.')
  })

  it('answers with whole calls where no stream was asked for', async () => {
    const server = await serve(reply.toolCalls(lookup))
    expect(await (await ask(server, { stream: false })).json()).toMatchObject({
      choices: [
        {
          message: {
            content: null,
            tool_calls: [
              { type: 'function', function: { name: 'lookup', arguments: '{"key":"a"}' } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
    })
  })
})

describe('scripts', () => {
  it('a list is worked through in order and its last reply repeats', async () => {
    const server = await serve([reply.text('one'), reply.text('two')])
    const texts = []
    for (let n = 0; n < 3; n += 1) texts.push(textOf(await chunks(await ask(server))))
    expect(texts).toEqual(['one', 'two', 'two'])
  })

  it('a function sees the request and its number', async () => {
    const server = await serve((request, n) => reply.text(`${n}: ${lastUserText(request)}`))
    await ask(server).then((response) => response.text())
    expect(textOf(await chunks(await ask(server)))).toBe('1: hello')
  })

  it('can be replaced while the server runs', async () => {
    const server = await serve(reply.text('old'))
    await ask(server).then((response) => response.text())
    server.play([reply.text('new'), reply.text('newer')])
    expect(textOf(await chunks(await ask(server)))).toBe('new')
  })

  it('a script that throws gives a 500 that says so', async () => {
    const server = await serve(() => {
      throw new Error('oops')
    })
    const response = await ask(server)
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('oops')
  })
})

describe('what it is asked', () => {
  it('is recorded with body, headers and time, up to the number to keep', async () => {
    const server = await serve(reply.text('x'), 2)
    const before = Date.now()
    for (let n = 0; n < 3; n += 1)
      await ask(server, { user: `u${n}` }).then((response) => response.text())
    expect(server.count).toBe(3)
    expect(server.requests.map((request) => [request.n, request.body['user']])).toEqual([
      [1, 'u1'],
      [2, 'u2'],
    ])
    expect(server.requests[0]?.headers['content-type']).toBe('application/json')
    expect(server.requests[0]?.at).toBeGreaterThanOrEqual(before)
    expect(server.requests[0]?.aborted).toBe(false)
  })

  const call = {
    role: 'assistant',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
  }
  const tool = { type: 'function', function: { name: 'f' } }

  it.each([
    ['a body that is not a chat completion', { messages: 'hello' }, /messages list/],
    [
      'a call that nobody answered',
      { messages: [...hello, call, ...hello] },
      /must be followed by a tool message.*c1/,
    ],
    [
      'an answer to no call',
      { messages: [...hello, { role: 'tool', tool_call_id: 'c9', content: '' }] },
      /c9/,
    ],
    [
      'two calls of one id',
      { messages: [...hello, { ...call, tool_calls: [...call.tool_calls, ...call.tool_calls] }] },
      /share one id/,
    ],
    [
      'a tool name no provider takes',
      { tools: [{ type: 'function', function: { name: 'a.b' } }] },
      /a\.b/,
    ],
    ['two tools of one name', { tools: [tool, tool] }, /listed twice/],
  ])('is refused with 400 when it is %s', async (_, body, message) => {
    const server = await serve(reply.text('x'))
    const response = await ask(server, body)
    expect(response.status).toBe(400)
    expect(await response.text()).toMatch(message)
    expect(server.count).toBe(0)
  })

  it('has the endpoints of its protocols, and no other', async () => {
    const server = await serve(reply.text('x'))
    const response = await fetch(`${server.url}/embeddings`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('/v1/chat/completions')
  })
})

describe('speed', () => {
  it('a hot script is served from strings that are built once', { tags: 'speed' }, async () => {
    const server = await serve(reply.text(Array.from({ length: 20 }, (_, n) => `word${n} `)))
    const before = performance.now()
    const client = async (): Promise<void> => {
      for (let n = 0; n < 50; n += 1) await ask(server).then((response) => response.text())
    }
    await Promise.all(Array.from({ length: 16 }, client))
    // The client shares this process and costs several times as much: a floor, not the measure.
    expect(800 / ((performance.now() - before) / 1000)).toBeGreaterThan(150)
    expect(server.count).toBe(800)
  })
})
