import { reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import {
  chatOf,
  eventsOf,
  PROVIDERS,
  type ProviderName,
  talk,
  warningsOf,
  wordsOf,
} from './support/provider-talk.ts'

// What the reason means for which a reply ends: it is whole, cut, refused, or none at all.

/** A reply with these words and this reason, in each protocol. */
const ENDED: Readonly<Record<ProviderName, (words: string, reason: string) => string>> = {
  'openai-compatible': (words, reason) =>
    eventsOf(...chatOf([{ role: 'assistant', content: words }], reason), '[DONE]'),
  openai: (words, reason) =>
    eventsOf(
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'm' } },
      { type: 'response.output_text.delta', item_id: 'm', output_index: 0, delta: words },
      reason === 'stop'
        ? { type: 'response.completed', response: { id: 'r' } }
        : { type: 'response.incomplete', response: { incomplete_details: { reason } } },
    ),
  anthropic: (words, stop_reason) =>
    eventsOf(
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 9 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: words } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ),
  google: (words, finishReason) =>
    eventsOf({
      candidates: [{ content: { role: 'model', parts: [{ text: words }] }, finishReason }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2 },
    }),
}

const WHOLE: Readonly<Record<ProviderName, readonly string[]>> = {
  'openai-compatible': ['stop', 'STOP', 'eos', 'end_turn'],
  openai: ['stop'],
  anthropic: ['end_turn', 'stop_sequence', 'stop'],
  google: ['STOP'],
}
const CUT: Readonly<Record<ProviderName, readonly string[]>> = {
  'openai-compatible': ['length', 'MAX_TOKENS', 'model_length'],
  openai: ['max_output_tokens'],
  anthropic: ['max_tokens', 'model_context_window_exceeded'],
  google: ['MAX_TOKENS'],
}
const REFUSED: Readonly<Record<ProviderName, readonly string[]>> = {
  'openai-compatible': ['content_filter', 'sensitive', 'SAFETY'],
  openai: ['content_filter'],
  anthropic: ['refusal'],
  google: ['SAFETY', 'LANGUAGE', 'MODEL_ARMOR'],
}
const FAILED: Readonly<Record<ProviderName, readonly string[]>> = {
  'openai-compatible': [
    'error',
    'malformed_function_call',
    'insufficient_system_resource',
    'constructor',
    'gremlins',
  ],
  openai: ['gremlins'],
  anthropic: ['pause_turn', 'gremlins'],
  google: ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'OTHER', 'GREMLINS'],
}

describe.each(PROVIDERS)('%s', (provider) => {
  const ended = ENDED[provider]
  const good = reply.text('Here I am.')

  test.each(WHOLE[provider])('"%s" is a whole reply', async (reason) => {
    const { model, say } = await talk(provider, reply.body(ended('Yes.', reason)))
    const events = await say('Hello?')
    expect(wordsOf(events)).toBe('Yes.')
    expect(warningsOf(events)).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    expect(model.count).toBe(1)
  })

  test.each([...CUT[provider], ...REFUSED[provider]])(
    '"%s" is a reply that was begun and cut: it stands, with a warning',
    async (reason) => {
      const { model, say } = await talk(provider, reply.body(ended('Half of', reason)))
      const events = await say('Hello?')
      expect(wordsOf(events)).toBe('Half of')
      expect(warningsOf(events)).toHaveLength(1)
      expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
      expect(model.count).toBe(1)
    },
  )

  test.each(FAILED[provider])('"%s" is no reply: the model is asked once more', async (reason) => {
    const { model, say } = await talk(provider, (_request, n) =>
      n === 0 ? reply.body(ended('Half of', reason)) : good,
    )
    const events = await say('Hello?')
    const reset = events.findLastIndex(({ type }) => type === 'reset')
    expect(wordsOf(events.slice(reset + 1))).toBe('Here I am.')
    expect(events.filter(({ type }) => type === 'done')).toMatchObject([{ reason: 'model_stop' }])
    expect(model.count).toBe(2)
  })

  test.each(FAILED[provider])('"%s" for ever: the next model is asked', async (reason) => {
    const { model, say } = await talk(
      provider,
      (request) => (request.model === 'spare' ? good : reply.body(ended('', reason))),
      { spare: 'spare' },
    )
    expect(wordsOf(await say('Hello?'))).toContain('Here I am.')
    expect(model.requests.at(-1)?.body.model).toBe('spare')
  })

  test.each(FAILED[provider])(
    '"%s" of every model: the turn fails, and says why',
    async (reason) => {
      const { model, noted, say } = await talk(provider, reply.body(ended('', reason)))
      const events = await say('Hello?')
      expect(events.slice(-2)).toMatchObject([
        { type: 'error', message: expect.stringContaining(`"${reason}"`) as string },
        { type: 'done', reason: 'error' },
      ])
      expect(noted).toEqual([])
      model.play(good)
      expect(wordsOf(await say('And now?'))).toBe('Here I am.')
    },
  )

  test.each(['', ' \n'])('a whole reply without a word (%j) is none', async (words) => {
    const { model, say } = await talk(provider, (_request, n) =>
      n === 0 ? reply.body(ended(words, WHOLE[provider][0] ?? '')) : good,
    )
    const events = await say('Hello?')
    expect(wordsOf(events).trim()).toBe('Here I am.')
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    expect(model.count).toBe(2)

    model.play(reply.body(ended('', WHOLE[provider][0] ?? '')))
    const failed = await say('Still there?')
    expect(failed.slice(-2).map(({ type }) => type)).toEqual(['error', 'done'])
    model.play(good)
    expect(wordsOf(await say('And now?'))).toBe('Here I am.')
  })
})

describe('chat completions', () => {
  test('an error object in the choice is the error', async () => {
    const failed = {
      choices: [
        {
          index: 0,
          delta: { content: '' },
          finish_reason: 'error',
          error: { code: 502, message: 'the upstream provider went away' },
        },
      ],
    }
    const { model, say } = await talk(
      'openai-compatible',
      reply.body(eventsOf(...chatOf([{ content: 'Half' }], null), failed, '[DONE]')),
    )
    const events = await say('Hello?')
    expect(events.find(({ type }) => type === 'error')).toMatchObject({
      message: expect.stringContaining('the upstream provider went away') as string,
    })
    expect(model.count, 'retried').toBeGreaterThan(1)
  })

  const call = (input: string): object => ({
    tool_calls: [{ index: 0, id: 'c', function: { name: 'note', arguments: input } }],
  })

  test.each<readonly [what: string, deltas: readonly object[]]>([
    ['a text', [{ content: 'All ' }, { content: 'said.' }]],
    ['a text and an empty list of calls', [{ content: 'All said.', tool_calls: [] }]],
  ])('the end mark without a reason ends %s', async (_what, deltas) => {
    const { model, say } = await talk(
      'openai-compatible',
      reply.body(eventsOf(...chatOf(deltas, null), '[DONE]')),
    )
    const events = await say('Hello?')
    expect(wordsOf(events)).toBe('All said.')
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    expect(model.count, 'asked once').toBe(1)
  })

  test('the end mark without a reason ends a whole call', async () => {
    const { noted, say } = await talk('openai-compatible', (_request, n) =>
      n === 0
        ? reply.body(eventsOf(...chatOf([call('{"text":"a"}')], null), '[DONE]'))
        : reply.text('Noted.'),
    )
    expect(wordsOf(await say('Note a.'))).toBe('Noted.')
    expect(noted).toEqual(['a'])
  })

  test.each<readonly [what: string, deltas: readonly object[], mark: readonly string[]]>([
    ['half a call', [{ content: 'I note. ' }, call('{"text":"a')], ['[DONE]']],
    ['nothing', [{ role: 'assistant' }], ['[DONE]']],
    ['a text, and no end mark', [{ content: 'Half' }], []],
  ])('%s is no reply', async (_what, deltas, mark) => {
    const { model, noted, say } = await talk('openai-compatible', (_request, n) =>
      n === 0 ? reply.body(eventsOf(...chatOf(deltas, null), ...mark)) : reply.text('Here I am.'),
    )
    const events = await say('Hello?')
    const reset = events.findLastIndex(({ type }) => type === 'reset')
    expect(wordsOf(events.slice(reset + 1))).toBe('Here I am.')
    expect(model.count).toBe(2)
    expect(noted).toEqual([])
  })

  test('mistral: after a turn that failed behind its results, a reply stands before the next message', async () => {
    const note = reply.toolCalls({ name: 'note', arguments: { text: 'a' } })
    const { model, say } = await talk('mistral', (_request, n) =>
      n === 0 ? note : reply.httpError(401),
    )
    await say('first')
    model.play(reply.text('Here I am.'))
    await say('second')
    const { messages } = model.requests.at(-1)?.body ?? expect.fail('nothing was sent')
    const roles = messages.map(({ role }) => role).filter((role) => role !== 'system')
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  })

  test('after a turn that failed, roles alternate', async () => {
    const { model, say } = await talk('openai-compatible', reply.httpError(400))
    await say('first')
    await say('second')
    model.play(reply.text('Here I am.'))
    await say('third')
    const { messages } = model.requests.at(-1)?.body ?? expect.fail('nothing was sent')
    expect(messages.filter(({ role }) => role !== 'system')).toEqual([
      { role: 'user', content: 'first\n\nsecond\n\nthird' },
    ])
  })
})
