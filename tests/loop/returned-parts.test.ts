import { type ChatMessage, endsWithToolResult, reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { chatOf, eventsOf, talk, thoughtsOf, warningsOf, wordsOf } from './support/provider-talk.ts'

// What an endpoint attaches to a reply and wants to see again, and what it refuses to see.

const CALL = {
  index: 0,
  id: 'c1',
  type: 'function',
  function: { name: 'note', arguments: '{"text":"a"}' },
}
type Fields = Readonly<Record<string, unknown>>

const assistants = (messages: readonly ChatMessage[]): readonly Fields[] =>
  messages.flatMap((message) => (message.role === 'assistant' ? [{ ...message }] : []))

/** A call with these deltas before it, then "Noted." with those. */
async function noting(
  deltas: readonly object[],
  call: object = CALL,
  answer: readonly object[] = [],
) {
  const first = eventsOf(...chatOf([...deltas, { tool_calls: [call] }], 'tool_calls'), '[DONE]')
  const second = eventsOf(...chatOf([...answer, { content: 'Noted.' }]), '[DONE]')
  const one = await talk('openai-compatible', (request) =>
    reply.body(endsWithToolResult(request) ? second : first),
  )
  const events = await one.say('Note a.')
  expect(wordsOf(events)).toMatch(/Noted\.$/)
  const [called] = assistants(one.model.requests[1]?.body.messages ?? [])
  return { ...one, events, called }
}

describe('chat completions: comes back with the call that it came with', () => {
  test.each<readonly [what: string, deltas: readonly object[], returned: object]>([
    [
      'a thought, as reasoning_content',
      [{ reasoning_content: 'I ' }, { reasoning_content: 'note.' }],
      { reasoning_content: 'I note.' },
    ],
    ['a thought, as reasoning', [{ reasoning: 'I note.' }], { reasoning: 'I note.' }],
    [
      'a thought before a text',
      [{ reasoning_content: 'I note.' }, { content: 'So be it. ' }],
      { reasoning_content: 'I note.', content: 'So be it. ' },
    ],
    [
      'details in pieces',
      [
        { reasoning: 'I ', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'I ' }] },
        {
          reasoning: 'note.',
          reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'note.', format: 'f' }],
        },
        { reasoning_details: [{ type: 'reasoning.text', index: 0, signature: 'c2ln' }] },
        { reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'ZW5j' }] },
      ],
      {
        reasoning: 'I note.',
        reasoning_details: [
          { type: 'reasoning.text', index: 0, text: 'I note.', format: 'f', signature: 'c2ln' },
          { type: 'reasoning.encrypted', index: 1, data: 'ZW5j' },
        ],
      },
    ],
    [
      'encrypted thoughts alone',
      [{ reasoning_details: [{ type: 'reasoning.encrypted', data: 'ZW5j', id: 'r1' }] }],
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'ZW5j', id: 'r1' }] },
    ],
    [
      'signed blocks',
      [{ thinking_blocks: [{ type: 'thinking', thinking: 'I note.', signature: 'c2ln' }] }],
      { thinking_blocks: [{ type: 'thinking', thinking: 'I note.', signature: 'c2ln' }] },
    ],
  ])('%s', async (_what, deltas, returned) => {
    const { called, model, say } = await noting(deltas)
    expect(called).toMatchObject({ ...returned, tool_calls: [{ id: 'c1' }] })
    // and in every later turn
    await say('And?')
    expect(assistants(model.requests.at(-1)?.body.messages ?? [])[0]).toMatchObject(returned)
  })

  test.each<readonly [what: string, fields: object]>([
    ['the signature of a call', { extra_content: { google: { thought_signature: 'c2ln' } } }],
    ['other content of a call', { extra_content: { acme: { seal: 'c2ln' } } }],
    ['what a gateway adds to a call', { provider_specific_fields: { thought_signature: 'c2ln' } }],
  ])('%s', async (_what, fields) => {
    const { called } = await noting([], { ...CALL, ...fields })
    expect(called).toMatchObject({ tool_calls: [{ id: 'c1', ...fields }] })
  })

  test('a signature that comes late', async () => {
    const late = { index: 0, extra_content: { google: { thought_signature: 'c2ln' } } }
    const { called } = await noting([{ tool_calls: [CALL] }], late)
    expect(called).toMatchObject({ tool_calls: [{ id: 'c1', extra_content: late.extra_content }] })
  })

  test('the thought of the answer of such a turn', async () => {
    const { model, say } = await noting([{ reasoning_content: 'I note.' }], CALL, [
      { reasoning_content: 'Done, then.' },
    ])
    await say('And?')
    const sent = assistants(model.requests.at(-1)?.body.messages ?? [])
    expect(sent.slice(0, 2)).toMatchObject([
      { reasoning_content: 'I note.' },
      { reasoning_content: 'Done, then.', content: 'Noted.' },
    ])
  })

  test('but not a thought of a turn without calls, nor one from within the content', async () => {
    const { model, say } = await talk(
      'openai-compatible',
      reply.body(
        eventsOf(
          ...chatOf([{ reasoning_content: 'Hm.' }, { content: '<think>So.</think>Yes.' }]),
          '[DONE]',
        ),
      ),
    )
    expect(thoughtsOf(await say('Is it?'))).toBe('Hm.So.')
    await say('And now?')
    const [answer] = assistants(model.requests.at(-1)?.body.messages ?? [])
    expect(answer).toEqual({ role: 'assistant', content: 'Yes.' })
  })

  test('to its own provider only', async () => {
    const deltas = [{ reasoning_content: 'I note.' }, { tool_calls: [CALL] }]
    const { model, say } = await talk(
      'deepseek',
      (request, n) => {
        if (request.model === 'spare') return reply.text('Spared.')
        return n === 0
          ? reply.body(eventsOf(...chatOf(deltas, 'tool_calls'), '[DONE]'))
          : reply.httpError(401)
      },
      { spare: 'spare' },
    )
    expect(wordsOf(await say('Note a.'))).toBe('Spared.')
    const [called] = assistants(model.requests.at(-1)?.body.messages ?? [])
    expect(called).not.toHaveProperty('reasoning_content')
  })
})

describe('a session whose history is refused goes on', () => {
  const THOUGHT = [{ reasoning_content: 'I note.' }]

  test('without thoughts, where those are refused', async () => {
    const { model, say } = await noting(THOUGHT)
    model.play((request) =>
      assistants(request.messages).some((one) => 'reasoning_content' in one)
        ? reply.httpError(422, {
            message: 'body.messages.1.reasoning_content: extra inputs are not permitted',
          })
        : reply.text('Here I am.'),
    )
    const events = await say('And?')
    expect(wordsOf(events)).toBe('Here I am.')
    expect(warningsOf(events)).toEqual([
      expect.stringMatching(/refused the conversation.*thought.*extra inputs are not permitted/),
    ])
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })

    const count = model.count
    const next = await say('And now?')
    expect(wordsOf(next)).toBe('Here I am.')
    expect(warningsOf(next)).toEqual([])
    expect(model.count, 'asked once').toBe(count + 1)
  })

  test('with calls as text, where an endpoint insists on thoughts that there are none of', async () => {
    const { model, say } = await noting([])
    model.play((request) =>
      assistants(request.messages).some((one) => 'tool_calls' in one)
        ? reply.httpError(400, {
            message:
              'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
          })
        : reply.text('Here I am.'),
    )
    const events = await say('And?')
    expect(wordsOf(events)).toBe('Here I am.')
    expect(warningsOf(events)).toEqual([expect.stringContaining('calls')])
    const { messages } = model.requests.at(-1)?.body ?? expect.fail('nothing was sent')
    expect(JSON.stringify(messages)).toContain('I called note with')
    expect(JSON.stringify(messages)).toContain('noted')
    expect(messages.every(({ role }) => role !== 'tool')).toBe(true)
  })

  test.each<readonly [provider: string, message: string]>([
    ['anthropic', 'messages.1.content.0: Invalid `signature` in `thinking` block'],
    ['google', 'Thought signature is not valid.'],
    ['openai', 'The encrypted content for item rs_1 could not be verified.'],
  ])('%s: without signatures that it cannot verify any more', async (provider, message) => {
    const call = reply.toolCalls(
      { name: 'note', arguments: { text: 'a' } },
      { thought: { text: 'I note.', signature: 'c2lnbmVk' } },
    )
    const { model, say } = await talk(provider, (request) =>
      endsWithToolResult(request) ? reply.text('Noted.') : call,
    )
    expect(wordsOf(await say('Note a.'))).toBe('Noted.')
    expect(JSON.stringify(model.requests[1]?.sent)).toContain('c2lnbmVk')
    const sent: string[] = []
    model.play(() => {
      const text = JSON.stringify(model.requests.at(-1)?.sent)
      sent.push(text)
      return text.includes('c2lnbmVk')
        ? reply.httpError(400, { message })
        : reply.text('Here I am.')
    })
    const events = await say('And?')
    expect(wordsOf(events)).toBe('Here I am.')
    expect(warningsOf(events)).toEqual([expect.stringContaining(message)])
    expect(sent).toHaveLength(2)
  })

  test('without a file that is refused', async () => {
    const { model, say } = await talk('openai-compatible', (request) =>
      JSON.stringify(request).includes('image_url')
        ? reply.httpError(400, { message: 'Could not process image' })
        : reply.text('I see no picture.'),
    )
    const events = await say('What is this?', [PNG])
    expect(wordsOf(events)).toBe('I see no picture.')
    expect(warningsOf(events)).toEqual([expect.stringContaining('Could not process image')])
    const count = model.count
    expect(wordsOf(await say('And now?'))).toBe('I see no picture.')
    expect(model.count).toBe(count + 1)
  })

  test('and what is refused for another reason says that reason, once', async () => {
    const { model, say } = await noting(THOUGHT)
    model.play(reply.httpError(400, { message: 'temperature: is not supported' }))
    const events = await say('And?')
    expect(warningsOf(events)).toEqual([])
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', message: expect.stringContaining('temperature') as string },
      { type: 'done', reason: 'error' },
    ])
    model.play(reply.text('Here I am.'))
    expect(wordsOf(await say('And now?'))).toBe('Here I am.')
    const [called] = assistants(model.requests.at(-1)?.body.messages ?? [])
    expect(called, 'nothing is dropped').toMatchObject({ reasoning_content: 'I note.' })
  })
})

const PNG = {
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
}
