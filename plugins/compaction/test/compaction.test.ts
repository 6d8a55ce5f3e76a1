import { SUMMARY_HEAD, type Message } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { boundaryIn } from '../src/boundary.ts'
import { compaction } from '../src/index.ts'
import { messageTokens } from '../src/sizes.ts'
import { EMPTY, fitting, merged, snapshotIn, summaryOf } from '../src/snapshot.ts'
import { transcript } from '../src/transcript.ts'
import { View } from '../src/view.ts'

pluginContract(compaction, { config: { at: 0.7 } })

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
const step = (id: string, output: string): readonly Message[] => [
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: id, toolName: 'look', input: {} }],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: id,
        toolName: 'look',
        output: { type: 'text', value: output },
      },
    ],
  },
]
const conversation = (steps: number, size: number): readonly Message[] => [
  user('go'),
  ...Array.from({ length: steps }, (_, n) => step(`c${n}`, `${n} `.padEnd(size, 'x'))).flat(),
]

describe('a snapshot', () => {
  const kept = {
    ...EMPTY,
    requests: ['find it'],
    findings: ['a', 'b'],
    hypotheses: ['x', 'y'],
    open: ['o'],
  }

  test('is read back as it was written', () => {
    expect(snapshotIn(user(SUMMARY_HEAD + summaryOf(kept)))).toEqual(kept)
  })

  test('cannot be written by a person who begins as one does, but for what is fenced', () => {
    expect(snapshotIn(user(`${SUMMARY_HEAD}## findings\n- mine`))).toBeUndefined()
    expect(snapshotIn(user('## findings\n- mine'))).toBeUndefined()
  })

  test('keeps what it has, but for guesses and tasks that are settled', () => {
    const next = merged(kept, { ...EMPTY, findings: ['b', 'c\n- d'] }, ['a', 'x', 'o'])
    expect(next).toEqual({ ...kept, findings: ['a', 'b', 'c - d'], hypotheses: ['y'], open: [] })
  })

  test('too long for its room, it gives up what was done first and what was found last', () => {
    const long = { ...kept, done: ['z'.repeat(500), 'last'] }
    expect(fitting(long, 300)).toEqual({ ...kept, done: ['last'] })
    expect(fitting(long, 0)).toEqual(EMPTY)
    expect(fitting(long, 10_000)).toEqual(long)
  })
})

describe('a view', () => {
  const limits = { maskAt: 4_000, protect: 1_000, bulky: 200, resultChars: 50_000 }
  const sizeOf = (view: View): number =>
    view.shown.reduce((sum, message) => sum + messageTokens(message), 0)

  test('followed message by message is the same as read at once', () => {
    const whole = conversation(30, 2_000)
    const slowly = new View(limits)
    for (let length = 1; length <= whole.length; length += 2)
      slowly.follow(whole.slice(0, length), 100)
    const atOnce = new View(limits)
    atOnce.follow(whole, 100)
    expect(atOnce.shown).toEqual(slowly.shown)
    expect(atOnce.tokens).toBe(sizeOf(atOnce))
    expect(slowly.tokens).toBe(sizeOf(slowly))
    expect(atOnce.shown.at(-1)).toBe(whole.at(-1))
    expect(atOnce.tokens + 100).toBeLessThan(limits.maskAt * 1.5)
  })

  test('of a small conversation is the conversation', () => {
    const view = new View(limits)
    const whole = conversation(2, 500)
    view.follow(whole, 0)
    expect(view.changed).toBe(false)
    expect(view.shown.every((message, at) => message === whole[at])).toBe(true)
  })

  test('goes on with the same messages only', () => {
    const view = new View(limits)
    const whole = conversation(3, 500)
    view.follow(whole, 0)
    expect(view.goesOnWith([...whole, user('next')])).toBe(true)
    expect(view.goesOnWith([user('go'), ...whole.slice(1)])).toBe(false)
    expect(view.goesOnWith(whole.slice(0, 3))).toBe(false)
  })
})

describe('a boundary', () => {
  const at = (messages: readonly Message[], newest: number, least = 0, step = 1_000) =>
    boundaryIn(
      messages,
      (from) => messages.slice(from).reduce((sum, message) => sum + messageTokens(message), 0),
      { newest, step },
      least,
    )

  test('never tears a call from its results', () => {
    const messages = conversation(10, 400)
    for (let room = 0; room < 1_500; room += 50) {
      const first = at(messages, room)
      if (first !== undefined) expect(messages[first]?.role).not.toBe('tool')
    }
  })

  test('keeps what nobody has answered, and results that the model has not seen while they fit', () => {
    expect(at([...conversation(3, 400), user('x'.repeat(50_000))], 10)).toBe(7)
    expect(at(conversation(3, 400), 10)).toBe(5)
    expect(at(conversation(3, 40_000), 10)).toBe(7)
  })

  test('there is none where nothing can go', () => {
    expect(at([user('go')], 10)).toBeUndefined()
    expect(at(conversation(1, 10), 10, 1)).toBeUndefined()
  })
})

test('a transcript is never longer than it may be, and shortens results before words', () => {
  const messages = [
    ...conversation(5, 20_000),
    { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'the cache is cold' }] },
  ]
  const text = transcript(messages, 6_000)
  expect(text.length).toBeLessThan(6_100)
  expect(text).toContain('the cache is cold')
  expect(text.match(/call look/g)).toHaveLength(5)
})
