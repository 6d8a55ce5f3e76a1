import { describe, expect, test } from 'vitest'
import {
  callId,
  NO_USAGE,
  principalId,
  runId,
  type JournalEntry,
  type UserMessage,
} from '@amodal/sdk'
import { NO_OUTCOME } from '@amodal/sdk/loop'
import { History } from '../src/run/history.ts'

const common = { v: 1, run: runId('r'), at: 0 } as const
const userSaying = (text: string, assets: UserMessage['assets'] = undefined): JournalEntry => ({
  ...common,
  kind: 'user_message',
  key: text,
  principal: principalId('p'),
  text,
  bundle: 'b',
  ...(assets && { assets }),
})
const replied = (text: string, ...calls: readonly string[]): JournalEntry => ({
  ...common,
  kind: 'model_reply',
  step: 1,
  text,
  calls: calls.map((id) => ({ id: callId(id), name: 'tool', input: '{}' })),
  usage: NO_USAGE,
  model: { provider: 'p', model: 'm' },
  finish: 'stop',
  ms: 0,
})
const came = (call: string, output: string): JournalEntry => ({
  ...common,
  kind: 'tool_outcome',
  call: callId(call),
  name: 'tool',
  status: 'success',
  output,
  ms: 0,
})
const ended: JournalEntry = {
  ...common,
  kind: 'run_ended',
  reason: 'model_stop',
  usage: NO_USAGE,
  steps: 1,
}
const compacted = (upto: number, summary: string): JournalEntry => ({
  ...common,
  kind: 'compacted',
  cause: 'threshold',
  upto,
  summary,
})

function fold(...entries: readonly JournalEntry[]): History {
  const history = new History()
  entries.forEach((entry, index) => history.apply(entry, index + 1))
  return history
}

/** `user:hi`, `assistant:ok+a+b`, `tool:a=1,b=2`. */
const shape = (history: History): readonly string[] =>
  history.messages.map((message) => {
    if (message.role === 'system') return `system:${message.content}`
    return `${message.role}:${message.content
      .map((part) => {
        if (part.type === 'text') return part.text
        if (part.type === 'tool-call') return `+${part.toolCallId}`
        return part.type === 'tool-result' &&
          part.output.type.endsWith('text') &&
          'value' in part.output
          ? `${part.toolCallId}=${part.output.value as string}`
          : part.type
      })
      .join(',')}`
  })

test('a conversation', () => {
  expect(
    shape(
      fold(
        userSaying('hi'),
        replied('hello'),
        ended,
        userSaying('and'),
        replied('', 'a', 'b'),
        came('a', '1'),
        came('b', '2'),
        replied('so'),
        ended,
      ),
    ),
  ).toEqual([
    'user:hi',
    'assistant:hello',
    'user:and',
    'assistant:+a,+b',
    'tool:a=1,b=2',
    'assistant:so',
  ])
})

describe('a call without an outcome has a synthetic one before anything follows', () => {
  const open = [userSaying('hi'), replied('', 'a', 'b'), came('a', '1')] as const
  test.each([
    ['the end of the run', ended, []],
    ['the next message', userSaying('next'), ['user:next']],
    ['the next reply', replied('so'), ['assistant:so']],
  ] as const)('%s', (_, entry, rest) => {
    expect(shape(fold(...open, entry))).toEqual([
      'user:hi',
      'assistant:+a,+b',
      `tool:a=1,b=${NO_OUTCOME}`,
      ...rest,
    ])
  })

  test('but not while it waits for a person', () => {
    expect(
      shape(fold(...open, { ...common, kind: 'note', code: 'warning', text: 'still waiting' })),
    ).toEqual(['user:hi', 'assistant:+a,+b', 'tool:a=1'])
  })

  test('nor after its real one: an outcome counts once', () => {
    expect(shape(fold(...open, came('b', '2'), came('b', '3'), came('z', '9'), ended))).toEqual([
      'user:hi',
      'assistant:+a,+b',
      'tool:a=1,b=2',
    ])
  })
})

test('an empty reply leaves no message behind', () => {
  expect(shape(fold(userSaying('hi'), replied(''), ended))).toEqual(['user:hi'])
})

test('the messages of a model call do not change while it runs', () => {
  const history = fold(userSaying('hi'), replied('', 'a', 'b'), came('a', '1'))
  const given = [...history.messages]
  history.apply(came('b', '2'), 4)
  expect(given[2]).toMatchObject({ content: [{ toolCallId: 'a' }] })
  expect(given[2]).not.toBe(history.messages[2])
})

describe('compacted', () => {
  test('puts the summary in place of what it covers, and keeps the rest', () => {
    expect(
      shape(
        fold(
          userSaying('1'),
          replied('2'),
          ended,
          userSaying('3'),
          replied('4'),
          compacted(3, 'they said 1 and 2'),
          userSaying('5'),
        ),
      ),
    ).toEqual([
      'user:Summary of the conversation so far:\nthey said 1 and 2',
      'user:3',
      'assistant:4',
      'user:5',
    ])
  })

  test('clearing removes all messages and open calls', () => {
    expect(
      shape(fold(userSaying('1'), replied('', 'a'), compacted(2, ''), userSaying('2'))),
    ).toEqual(['user:2'])
  })
})

test('the estimated size grows and shrinks with the messages', () => {
  const history = fold(userSaying('x'.repeat(1_000)), replied('y'.repeat(1_000)))
  const empty = new History().bytes
  expect(history.bytes - empty).toBeGreaterThan(2_000)
  history.apply(compacted(2, 'short'), 3)
  expect(history.bytes - empty).toBeLessThan(500)
  history.apply(compacted(3, ''), 4)
  expect(history.bytes).toBe(empty)
})

test('files are referenced by name; those of an older journal include their bytes', () => {
  const file = { asset: 'a'.repeat(64), mediaType: 'image/png', bytes: 50_000 }
  const { messages, bytes } = fold(userSaying('x', [{ ...file, name: 'x.png' }]))
  expect(messages[0]?.content[1]).toMatchObject({ type: 'file', filename: 'x.png' })
  expect(bytes - fold(userSaying('x')).bytes).toBeLessThan(1_000)
  expect(fold(userSaying('x', [{ ...file, data: 'aGk=' }])).messages[0]?.content[1]).toEqual({
    type: 'file',
    mediaType: 'image/png',
    data: { type: 'data', data: 'aGk=' },
  })
})

test('the estimated size counts older images, calls, results and texts beyond Latin-1', () => {
  const size = (...entries: readonly JournalEntry[]): number => fold(...entries).bytes
  const plain = size(userSaying('x'))
  const old = { asset: '', mediaType: 'image/png', bytes: 37_500, data: 'A'.repeat(50_000) }
  expect(size(userSaying('x', [old]))).toBeGreaterThan(plain + 50_000)
  expect(size(userSaying('я'.repeat(1_000)))).toBeGreaterThan(plain + 1_990)
  expect(size(userSaying('x'), replied('', 'a'.repeat(3_000))) - plain).toBeGreaterThan(3_000)
  expect(
    size(
      userSaying('x'),
      replied('', 'a', 'b'),
      came('a', 'r'.repeat(4_000)),
      came('b', 's'.repeat(4_000)),
    ) - plain,
  ).toBeGreaterThan(8_000)
})

test('the model reads a notice after the output', () => {
  const history = fold(userSaying('1'), replied('', 'a'), {
    ...common,
    kind: 'tool_outcome',
    call: callId('a'),
    name: 'look',
    status: 'success',
    output: { n: 1 },
    notice: '[again]',
    ms: 0,
  })
  expect(history.messages.at(-1)).toMatchObject({
    content: [{ output: { type: 'text', value: '{"n":1}\n\n[again]' } }],
  })
})

test('retained messages start after the same entry, live and rebuilt', () => {
  const entries = [userSaying('1'), replied('', 'a'), came('a', '1'), replied('2'), userSaying('3')]
  const history = fold(...entries)
  const upto = history.uptoOf(2)
  history.apply(
    { ...common, kind: 'compacted', cause: 'threshold', upto, summary: 'short' },
    entries.length + 1,
  )
  expect(shape(history)).toEqual([
    'user:Summary of the conversation so far:\nshort',
    'assistant:2',
    'user:3',
  ])
  const all = fold(...entries)
  all.apply(
    { ...common, kind: 'compacted', cause: 'threshold', upto: all.uptoOf(0), summary: 'short' },
    entries.length + 1,
  )
  expect(all.messages).toHaveLength(1)
})
