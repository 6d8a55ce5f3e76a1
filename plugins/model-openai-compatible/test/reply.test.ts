import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { observeReply, type Observed } from '@amodal/sdk/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { delta, frames, inPieces, modelOf, startRawServer, type RawServer } from './support.ts'

const PROMPT = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello?' }] }]
const servers: RawServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function serve(
  text: string,
  cut: (bytes: Buffer) => readonly Uint8Array[] = (bytes) => [bytes],
): Promise<RawServer> {
  const server = await startRawServer((response) => inPieces(response, cut(Buffer.from(text))))
  servers.push(server)
  return server
}

/** What our model makes of a stream. */
async function read(
  text: string,
  cut?: (bytes: Buffer) => readonly Uint8Array[],
): Promise<Observed> {
  const { url } = await serve(text, cut)
  return observeReply(modelOf({ baseUrl: url }), { prompt: PROMPT })
}

function call(
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args?: unknown,
): object {
  const said = Object.fromEntries(
    Object.entries({ name, arguments: args }).filter(([, value]) => value !== undefined),
  )
  return {
    tool_calls: [
      {
        ...(index === undefined ? {} : { index }),
        ...(id === undefined ? {} : { id }),
        function: said,
      },
    ],
  }
}

/** Streams in the ways of many endpoints, all of which end well. */
const STREAMS: Readonly<Record<string, string>> = {
  'plain text': frames(
    delta({ role: 'assistant', content: '' }),
    delta({ content: 'Hé' }),
    delta({ content: 'llo 🌍' }),
    delta({}, 'stop'),
    '[DONE]',
  ),
  'comments, names and CRLF': `: ping\r\n\r\nevent: message\r\nid: 4\r\n${frames(delta({ content: 'a' })).replaceAll('\n', '\r\n')}retry: 10\r\n\r\n${frames(delta({}, 'stop'), '[DONE]')}`,
  'no space after the colon': frames(delta({ content: 'a' }), delta({}, 'stop')).replaceAll(
    'data: ',
    'data:',
  ),
  'an event over two data lines': `data: {"id":"c1","choices":[{"delta":\ndata: {"content":"ab"},"finish_reason":"stop"}]}\n\n`,
  'finish in the last delta': frames(delta({ content: 'all' }, 'stop')),
  'reasoning_content, then text': frames(
    delta({ reasoning_content: 'hm' }),
    delta({ reasoning_content: ' so' }),
    delta({ content: 'yes' }),
    delta({}, 'stop'),
  ),
  'reasoning, text, reasoning': frames(
    delta({ reasoning: 'a' }),
    delta({ content: 'b' }),
    delta({ reasoning: 'c' }),
    delta({}, 'stop'),
  ),
  'parts of thinking and text': frames(
    delta({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'yes' },
      ],
    }),
    delta({}, 'stop'),
  ),
  'lines that end in CR': frames(
    delta({ content: 'a' }),
    delta(call(0, 'c', 'f', '{}')),
    delta({}, 'stop'),
    '[DONE]',
  ).replaceAll('\n', '\r'),
  'a refusal': frames(delta({ refusal: 'I will ' }), delta({ refusal: 'not.' }, 'stop')),
  'a null usage in every chunk but the last': frames(
    { ...delta({ content: 'a' }), usage: null },
    delta({}, 'stop'),
    {
      choices: [],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 2,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
    },
    '[DONE]',
  ),
  'an empty chunk first': frames(
    { id: '', created: 0, model: '', choices: [] },
    delta({ content: 'a' }),
    delta({}, 'stop'),
  ),
  'one call in one piece': frames(delta(call(0, 'c', 'f', '{"a":1}')), delta({}, 'tool_calls')),
  'parallel calls, interleaved': frames(
    delta(call(0, 'c0', 'f', '{"a"')),
    delta(call(1, 'c1', 'g', '{')),
    delta(call(0, undefined, undefined, ':1}')),
    delta(call(1, undefined, undefined, '}')),
    delta({}, 'tool_calls'),
  ),
  'a name that comes late': frames(
    delta(call(0, 'c0', undefined, '{"a"')),
    delta(call(0, undefined, 'f', ':1}')),
    delta({}, 'tool_calls'),
  ),
  'calls without an index': frames(
    delta(call(undefined, 'c0', 'f', '{"a":1}')),
    delta(call(undefined, 'c1', 'g', '{}')),
    delta({}, 'tool_calls'),
  ),
  'one id for two calls': frames(
    delta(call(0, 'same', 'f', '{"a":1}')),
    delta(call(1, 'same', 'g', '{}')),
    delta({}, 'stop'),
  ),
  'a signature with the call': frames(
    delta({
      tool_calls: [
        {
          index: 0,
          id: 'c',
          function: { name: 'f', arguments: '{}' },
          extra_content: { google: { thought_signature: 'sig' } },
        },
      ],
    }),
    delta({}, 'tool_calls'),
  ),
  'text, calls, text': frames(
    delta({ content: 'a' }),
    delta(call(0, 'c', 'f', '{}')),
    delta({ content: 'b' }),
    delta({}, 'tool_calls'),
  ),
}

/** What must not differ; ids of generated calls and of blocks may. */
function essence(seen: Observed): unknown {
  return {
    failures: seen.failures,
    text: seen.text,
    reasoning: seen.reasoning,
    finish: seen.finish,
    usage: { input: seen.usage?.inputTokens, output: seen.usage?.outputTokens },
    calls: seen.calls.map(({ toolName, input, providerMetadata }) => ({
      toolName,
      input,
      signature: Object.values(providerMetadata ?? {}).map((one) => one.thoughtSignature),
    })),
    // What came at once is one delta.
    order: seen.parts
      .map((part) => part.type)
      .filter((type, at, all) => type !== 'response-metadata' && type !== all[at - 1]),
  }
}

describe('a stream is read', () => {
  test.each(Object.entries(STREAMS))('as the AI SDK reads it: %s', async (_title, text) => {
    const { url } = await serve(text)
    const reference = createOpenAICompatible({
      name: 'reference',
      baseURL: url,
      includeUsage: true,
    })('m')
    expect(essence(await observeReply(modelOf({ baseUrl: url }), { prompt: PROMPT }))).toEqual(
      essence(await observeReply(reference, { prompt: PROMPT })),
    )
  })

  test.each(Object.entries(STREAMS))(
    'the same, however its bytes are cut: %s',
    async (_title, text) => {
      const whole = essence(await read(text))
      for (const size of [3, 64]) {
        const pieces = (bytes: Buffer): readonly Uint8Array[] =>
          Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
            bytes.subarray(n * size, (n + 1) * size),
          )
        expect(essence(await read(text, pieces))).toEqual(whole)
      }
    },
  )
})

describe('a reply is over', () => {
  const open = async (text: string): Promise<Observed> => {
    const server = await startRawServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text)
    })
    servers.push(server)
    return observeReply(modelOf({ baseUrl: server.url }), { prompt: PROMPT })
  }
  const late = frames(
    delta({ content: 'more' }),
    delta(call(0, 'c', 'f', '{}')),
    delta({}, 'tool_calls'),
  )

  test.each([
    ['with its end mark', frames(delta({ content: 'a' }), delta({}, 'stop'), '[DONE]')],
    [
      'with counts behind its finish',
      frames(delta({ content: 'a' }), delta({}, 'stop'), {
        choices: [],
        usage: { prompt_tokens: 9, completion_tokens: 2 },
      }),
    ],
  ])('%s: the connection may stay open, and what comes behind is not read', async (_how, text) => {
    expect(await open(text + late)).toMatchObject({
      text: 'a',
      finish: 'stop',
      calls: [],
      failures: [],
    })
  })

  test('with its finish, where nothing more comes on an open connection', async () => {
    expect(await open(frames(delta({ content: 'a' }, 'stop')))).toMatchObject({
      text: 'a',
      finish: 'stop',
      failures: [],
    })
  })

  test('and its connection is used again', async () => {
    const ports = new Set<unknown>()
    const counting = await startRawServer((response) => {
      ports.add(response.socket?.remotePort)
      return inPieces(response, [Buffer.from(frames(delta({ content: 'a' }, 'stop'), '[DONE]'))])
    })
    servers.push(counting)
    for (let n = 0; n < 5; n++) {
      await observeReply(modelOf({ baseUrl: counting.url }), { prompt: PROMPT })
      await new Promise((resolve) => {
        setTimeout(resolve, 20)
      })
    }
    expect(ports.size).toBe(1)
  })
})

describe('where endpoints differ from the protocol', () => {
  test('arguments may be an object', async () => {
    const seen = await read(frames(delta(call(0, 'c', 'f', { a: 1 })), delta({}, 'tool_calls')))
    expect(seen.calls.map((one) => one.input)).toEqual(['{"a":1}'])
  })

  test('the last event may lack its empty line', async () => {
    expect(await read(frames(delta({ content: 'a' }, 'stop')).trimEnd())).toMatchObject({
      text: 'a',
      finish: 'stop',
      failures: [],
    })
  })

  test.each([
    [
      'DeepSeek',
      {
        prompt_tokens: 10,
        completion_tokens: 1,
        prompt_cache_hit_tokens: 6,
        prompt_cache_miss_tokens: 4,
      },
    ],
    ['Moonshot', { prompt_tokens: 10, completion_tokens: 1, cached_tokens: 6 }],
  ])('cached input has another name: %s', async (_title, usage) => {
    const seen = await read(frames(delta({ content: 'a' }, 'stop'), { choices: [], usage }))
    expect(seen.usage?.inputTokens).toMatchObject({ total: 10, cacheRead: 6, noCache: 4 })
  })

  test('usage may be missing, and is unknown then', async () => {
    expect(
      (await read(frames(delta({ content: 'a' }, 'stop')))).usage?.inputTokens.total,
    ).toBeUndefined()
  })
})

describe('what is no reply', () => {
  test('a page in its place is named with its type', async () => {
    const server = await startRawServer((response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')
    })
    servers.push(server)
    const seen = await observeReply(modelOf({ baseUrl: server.url }), { prompt: PROMPT })
    expect(seen.failures[0]).toMatch(/no event.*text\/html/)
  })

  test('an error in a chunk carries its status, and nothing after it counts', async () => {
    const seen = await read(
      frames(
        delta({ content: 'a' }),
        { error: { code: 429, message: 'slow down' } },
        delta({ content: 'b' }, 'stop'),
      ),
    )
    expect(seen).toMatchObject({
      text: 'a',
      finish: 'error',
      errors: [{ statusCode: 429, isRetryable: true }],
    })
  })

  test.each([
    ['a list', '[]'],
    ['a number', '1'],
    ['nonsense', '{"choices":'],
  ])('%s in place of a chunk ends it', async (_title, data) => {
    expect(
      await read(frames(delta({ content: 'a' }), data, delta({ content: 'b' }, 'stop'))),
    ).toMatchObject({ text: 'a', finish: 'error' })
  })

  test.each([
    ['choices', { choices: 'none' }],
    ['a choice', { choices: [null] }],
    ['a delta', { choices: [{ delta: [] }] }],
    ['a call', delta({ tool_calls: [null, 1] })],
    ['content', delta({ content: { a: 1 } })],
    ['parts', delta({ content: [null, { type: 'thinking', thinking: 1 }] })],
  ])('rubbish as %s neither throws nor counts', async (_title, chunk) => {
    const seen = await read(frames(delta({ content: 'a' }), chunk, delta({ content: 'b' }, 'stop')))
    expect(['a', 'ab']).toContain(seen.text)
    expect(seen.parts.at(-1)?.type).toBe('finish')
  })

  test('an event without end is not kept', async () => {
    const line = 'x'.repeat(1024 * 1024)
    const server = await startRawServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: ')
      for (let n = 0; n < 20 && !response.destroyed; n++) response.write(line)
    })
    servers.push(server)
    expect(
      (await observeReply(modelOf({ baseUrl: server.url }), { prompt: PROMPT })).failures[0],
    ).toMatch(/more than \d+ characters/)
  })
})
