import type { Message, Prompt } from '@amodal/sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startEndpoints } from './support/formats/endpoints.ts'
import { folded, plan, World } from './support/plans.ts'

const RUNS = 60

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
const says = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] })
const calls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool-call', toolCallId: id, toolName: 'tool', input: {} })),
})
/** With bytes where the history has the name of a file: the loop puts them in. */
const filled = (message: Message): Message =>
  message.role === 'user'
    ? {
        ...message,
        content: message.content.map((part) =>
          part.type === 'file' ? { ...part, data: { type: 'data', data: PNG } } : part,
        ),
      }
    : message
const answers = (...ids: readonly string[]): Message => ({
  role: 'tool',
  content: ids.map((id) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: 'tool',
    output: { type: 'text', value: 'x' },
  })),
})
const PNG = 'iVBORw0KGgo='
const image: Message = {
  role: 'tool',
  content: [
    {
      type: 'tool-result',
      toolCallId: '1',
      toolName: 'tool',
      output: {
        type: 'content',
        value: [
          { type: 'text', text: 'x' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } },
        ],
      },
    },
  ],
}
const long = (length: number): string => 'x'.repeat(length)

const [CHAT, RESPONSES, ANTHROPIC, GOOGLE] = [
  'openai chat',
  'openai responses',
  'anthropic messages',
  'google generateContent',
] as const

test.each<readonly [what: string, prompt: Prompt, by: readonly string[]]>([
  [
    'nothing wrong',
    [
      { role: 'system', content: 'You help.' },
      user('a'),
      calls('1', '2'),
      answers('1', '2'),
      says('b'),
      user('c'),
    ],
    [],
  ],
  ['an image in a result', [user('a'), calls('1'), image, user('b')], []],
  [
    'a call without its result',
    [user('a'), calls('1', '2'), answers('1'), user('b')],
    [CHAT, RESPONSES, ANTHROPIC, GOOGLE],
  ],
  [
    'a result without its call',
    [user('a'), says('b'), answers('1'), user('c')],
    [CHAT, RESPONSES, ANTHROPIC, GOOGLE],
  ],
  [
    'a result behind a message',
    [user('a'), calls('1'), user('b'), answers('1')],
    [CHAT, ANTHROPIC, GOOGLE],
  ],
  [
    'an id used twice',
    [user('a'), calls('1'), answers('1'), calls('1'), answers('1')],
    [CHAT, RESPONSES, ANTHROPIC],
  ],
  [
    'results in another order than their calls',
    [user('a'), calls('1', '2'), answers('2', '1')],
    [GOOGLE],
  ],
  ['a text without a word', [user('a'), says('\n'), user('c')], [ANTHROPIC]],
  ['a message without a text', [user(''), says('b'), user('c')], [ANTHROPIC, GOOGLE]],
  ['an id of 41 characters', [user('a'), calls(long(41)), answers(long(41))], [CHAT]],
  ['an id of 65 characters', [user('a'), calls(long(65)), answers(long(65))], [CHAT, RESPONSES]],
  ['an id with a slash', [user('a'), calls('1/2'), answers('1/2')], [ANTHROPIC]],
  ["the model's turn at the beginning", [says('a'), user('b')], [ANTHROPIC, GOOGLE]],
  ["the model's turn at the end", [user('a'), says('b')], [ANTHROPIC, GOOGLE]],
])('%s: who refuses it', async (_what, prompt, by) => {
  await using endpoints = await startEndpoints()
  expect((await endpoints.send(prompt)).map((problem) => problem.split(':')[0])).toEqual(by)
})

test('whatever happens to a conversation, the endpoints of all providers take it', async () => {
  const world = await World.start(1)
  await using endpoints = await startEndpoints()
  const sent = new Set<string>()
  const accepted = async (prompt: Prompt): Promise<void> => {
    const text = JSON.stringify(prompt)
    if (sent.has(text)) return
    sent.add(text)
    expect(await endpoints.send(prompt), text).toEqual([])
  }
  await fc.assert(
    fc.asyncProperty(plan, async (played) => {
      const { session } = await world.play(played)
      // What models were asked: after a cancel, after refusals, with images, compacted and masked,
      // by sub-agents too.
      for (const { prompt } of world.asked) await accepted(prompt)
      // What they would be asked after a crash at the end of each state, once a person says
      // something.
      const { own } = await world.journals(session)
      for (const [at] of own.entries()) {
        const history = folded(own.slice(0, at + 1))
        history.close()
        await accepted([...history.messages.map(filled), user('And now?')])
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
  expect(endpoints.count).toBe(sent.size * 4)
  expect(sent.size).toBeGreaterThan(RUNS)
}, 120_000)
