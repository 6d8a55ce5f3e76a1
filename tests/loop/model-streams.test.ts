import { reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import {
  chatOf,
  eventsOf,
  PROVIDERS,
  type ProviderName,
  talk,
  thoughtsOf,
  wordsOf,
} from './support/provider-talk.ts'

// Streams as gateways and compatible services write them.

type Data = string | object

const content = (text: string, finishReason?: string): object => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ text }] },
      ...(finishReason !== undefined && { finishReason }),
    },
  ],
  ...(finishReason !== undefined && {
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2 },
  }),
})
const textDelta = (delta: string): object => ({
  type: 'response.output_text.delta',
  item_id: 'msg_1',
  output_index: 0,
  content_index: 0,
  delta,
})

/** "All said." in each protocol, with these events before, between and behind its own. */
const STREAMS: Readonly<Record<ProviderName, (between: readonly Data[]) => readonly Data[]>> = {
  'openai-compatible': (between) => [
    ...between,
    ...chatOf([{ role: 'assistant', content: 'All ' }], null),
    ...between,
    ...chatOf([{ content: 'said.' }]),
    ...between,
    '[DONE]',
  ],
  openai: (between) => [
    ...between,
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'msg_1' } },
    textDelta('All '),
    ...between,
    textDelta('said.'),
    ...between,
    { type: 'response.completed', response: { id: 'r', status: 'completed' } },
  ],
  anthropic: (between) => [
    ...between,
    { type: 'message_start', message: { id: 'm', usage: { input_tokens: 9 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'All ' } },
    ...between,
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'said.' } },
    { type: 'content_block_stop', index: 0 },
    ...between,
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 2 },
    },
    { type: 'message_stop' },
  ],
  google: (between) => [...between, content('All '), ...between, content('said.', 'STOP')],
}

describe.each(PROVIDERS)('%s: events that say nothing are passed over', (provider) => {
  test.each([
    ['without data', ''],
    ['with a blank', ' '],
    ['with null', 'null'],
    ['with an empty object', '{}'],
    ['of no kind that is known', '{"type":"gateway.keepalive"}'],
  ])('%s', async (_what, beat) => {
    const { model, say } = await talk(provider, reply.body(eventsOf(...STREAMS[provider]([beat]))))
    const events = await say('Hello?')
    expect(wordsOf(events)).toBe('All said.')
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    expect(model.count, 'asked once').toBe(1)
  })
})

describe('anthropic: compatible services', () => {
  const block = (content_block: object, index = 0): object => ({
    type: 'content_block_start',
    index,
    content_block,
  })
  const stop = { type: 'content_block_stop', index: 0 }
  const text = (...words: readonly string[]): readonly object[] => [
    block({ type: 'text', text: '' }),
    ...words.map((word) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: word },
    })),
    stop,
  ]
  const end = (stop_reason = 'end_turn', usage?: object): readonly object[] => [
    { type: 'message_delta', delta: { stop_reason }, ...(usage && { usage }) },
    { type: 'message_stop' },
  ]
  const start = (fields: object = {}): object => ({
    type: 'message_start',
    message: { id: 'm', role: 'assistant', ...fields },
  })

  test.each<readonly [how: string, events: readonly object[]]>([
    [
      'leave usage out of the start',
      [start(), ...text('All ', 'said.'), ...end('end_turn', { output_tokens: 2 })],
    ],
    [
      'leave usage out of the end',
      [start({ usage: { input_tokens: 3 } }), ...text('All ', 'said.'), ...end()],
    ],
    ['leave usage out', [start(), ...text('All ', 'said.'), ...end()]],
    ['give null for usage', [start({ usage: null }), ...text('All said.'), ...end()]],
    [
      'put text into the start of its block',
      [start(), block({ type: 'text', text: 'All ' }), ...text('said.').slice(1), ...end()],
    ],
    [
      'put the whole text there',
      [start(), block({ type: 'text', text: 'All said.' }), stop, ...end()],
    ],
    [
      'leave the text of a start out',
      [start(), block({ type: 'text' }), ...text('All said.').slice(1), ...end()],
    ],
    ['never end a block', [start(), ...text('All said.').slice(0, -1), ...end()]],
    ['never end the message', [start(), ...text('All said.'), ...end().slice(0, 1)]],
    ['begin without a start', [...text('All said.'), ...end()]],
  ])('%s', async (_how, data) => {
    const { model, say } = await talk('anthropic', reply.body(eventsOf(...data)))
    const events = await say('Hello?')
    expect(wordsOf(events)).toBe('All said.')
    const { usage } = events.find((event) => event.type === 'done') ?? expect.fail('no done')
    expect(usage?.input_tokens, 'what is not counted is estimated').toBeGreaterThan(0)
    expect(usage?.output_tokens).toBeGreaterThan(0)
    expect(model.count, 'asked once').toBe(1)
  })

  test('put a thought and its signature, and arguments, into the start of a block', async () => {
    const call = eventsOf(
      start(),
      block({ type: 'thinking', thinking: 'I note it.', signature: 'c2ln' }),
      stop,
      block({ type: 'tool_use', id: 'toolu_1', name: 'note', input: { text: 'a' } }, 1),
      ...end('tool_use'),
    )
    const { model, noted, say } = await talk('anthropic', (_request, n) =>
      reply.body(n === 0 ? call : eventsOf(start(), ...text('Noted.'), ...end())),
    )
    const events = await say('Note a.')
    expect(thoughtsOf(events)).toBe('I note it.')
    expect(wordsOf(events)).toBe('Noted.')
    expect(noted).toEqual(['a'])
    expect(JSON.stringify(model.requests[1]?.sent)).toContain('c2ln')
  })

  test('leave usage and signatures out of a reply that is one document', async () => {
    const { model, say } = await talk(
      'anthropic',
      reply.body(
        JSON.stringify({
          id: 'm',
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.' },
            { type: 'text', text: 'All said.' },
          ],
          stop_reason: 'end_turn',
        }),
        { contentType: 'application/json' },
      ),
    )
    const events = await say('Hello?')
    expect(wordsOf(events)).toBe('All said.')
    expect(thoughtsOf(events)).toBe('Hm.')
    const { usage } = events.find((event) => event.type === 'done') ?? expect.fail('no done')
    expect(usage?.input_tokens).toBeGreaterThan(0)
    expect(model.count, 'asked once').toBe(1)
  })

  test('report an error without its type', async () => {
    const { say } = await talk(
      'anthropic',
      reply.body(eventsOf(start(), { type: 'error', error: { message: 'no such model here' } })),
    )
    const events = await say('Hello?')
    expect(events.find(({ type }) => type === 'error')).toMatchObject({
      message: expect.stringContaining('no such model here') as string,
    })
  })
})

describe('chat completions: thoughts within the content', () => {
  const pieces = (text: string, size: number): readonly object[] =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, at) => ({
      content: text.slice(at * size, (at + 1) * size),
    }))

  test.each<readonly [what: string, given: string, words: string, thoughts: string]>([
    ['a block at the beginning', '<think>\nHm.\n</think>\n\nYes.', 'Yes.', '\nHm.\n'],
    ['behind blank lines', '\n\n<think>Hm.</think>Yes.', 'Yes.', 'Hm.'],
    ['an empty block', '<think>\n\n</think>\n\nYes.', 'Yes.', '\n\n'],
    ['two blocks', '<think>One.</think>Yes. <think>Two.</think>No.', 'Yes. No.', 'One.Two.'],
    ['a block between words', 'Yes.\n<think>Hm.</think>\nNo.', 'Yes.\n\nNo.', 'Hm.'],
    ['a lower sign within', '<think>1 < 2 </ thing></think>a < b', 'a < b', '1 < 2 </ thing>'],
    ['no block', 'a <b> </think', 'a <b> </think', ''],
    ['words about the tag', 'The tag `<think>` begins it.', 'The tag `<think>` begins it.', ''],
    ['a tag that is never closed', 'It is <think> here.', 'It is <think> here.', ''],
  ])('%s', async (_what, given, words, thoughts) => {
    for (const size of [1, 3, given.length]) {
      const { model, say } = await talk(
        'openai-compatible',
        reply.body(eventsOf(...chatOf(pieces(given, size)), '[DONE]')),
      )
      const events = await say('Is it?')
      expect(wordsOf(events)).toBe(words)
      expect(thoughtsOf(events)).toBe(thoughts)
      await say('And now?')
      const sent = model.requests.at(-1)?.body.messages.find(({ role }) => role === 'assistant')
      expect(sent?.content, 'what the history has').toBe(words)
    }
  })
})
