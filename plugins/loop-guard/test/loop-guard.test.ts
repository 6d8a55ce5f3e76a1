import type { JsonObject, Message } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { loopGuard } from '../src/index.ts'
import { likenessOf } from '../src/likeness.ts'
import { Tally } from '../src/tally.ts'

pluginContract(loopGuard, { config: { stopAt: 6 } })

describe('two calls are alike', () => {
  test.each<readonly [string, JsonObject, JsonObject, boolean]>([
    ['whatever the case and the spacing', { q: 'Acme  Corp' }, { q: 'acme corp ' }, true],
    ['whatever the order of names', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['with an argument that is nothing', { a: 1, b: null }, { a: 1 }, true],
    [
      'by the same words of a sentence',
      { q: 'error logs of payments' },
      { q: 'the payments error logs' },
      true,
    ],
    [
      'not with another word',
      { q: 'error logs of payments' },
      { q: 'error logs of orders' },
      false,
    ],
    ['not with another page', { q: 'x', page: 1 }, { q: 'x', page: 2 }, false],
    ['not by code, where every character counts', { q: 'a + b' }, { q: 'b + a' }, false],
    ['not where a list is in another order', { path: ['a', 'b'] }, { path: ['b', 'a'] }, false],
    ['not where all words are small', { q: 'to be' }, { q: 'what is it' }, false],
  ])('%s', (_how, a, b, expected) => {
    expect(likenessOf('look', a) === likenessOf('look', b)).toBe(expected)
    expect(likenessOf('look', a)).not.toBe(likenessOf('other', a))
  })
})

describe('a tally', () => {
  const limits = { warnAt: 3, blockAt: 5, stopAt: 8, exempt: [], maxToolCalls: 100 }
  const said: Message = { role: 'user', content: [{ type: 'text', text: 'go' }] }
  const step = (id: string, toolName = 'look', input: JsonObject = {}): readonly Message[] => [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName, input }] },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: id, toolName, output: { type: 'text', value: '' } },
      ],
    },
  ]

  test('read at once, after a restart, is as it was step by step', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const whole = [said, ...ids.flatMap((id) => step(id))]
    const slowly = new Tally(limits)
    for (let length = 1; length <= whole.length; length++) slowly.follow(whole.slice(0, length))
    const atOnce = new Tally(limits)
    atOnce.follow(whole)
    for (const id of ids) {
      expect(atOnce.refusal(id)).toBe(slowly.refusal(id))
      expect(atOnce.notice(id)).toBe(slowly.notice(id))
    }
    expect(
      ids.map((id) =>
        atOnce.refusal(id) !== undefined
          ? 'refused'
          : atOnce.notice(id) !== undefined
            ? 'told'
            : 'ran',
      ),
    ).toEqual(['ran', 'ran', 'told', 'told', 'refused', 'refused', 'refused', 'refused'])
    expect(atOnce.ending).toEqual(slowly.ending)
    expect(atOnce.ending?.reason).toBe('loop_detected')
  })

  test('what was called for an earlier message does not count', () => {
    const tally = new Tally(limits)
    tally.follow([said, ...['a', 'b', 'c', 'd', 'e'].flatMap((id) => step(id)), said, ...step('f')])
    expect([tally.refusal('f'), tally.notice('f'), tally.ending]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('a blocked tool stays blocked, however it is called', () => {
    const tally = new Tally(limits)
    tally.follow([
      said,
      ...['a', 'b', 'c', 'd', 'e'].flatMap((id) => step(id)),
      ...step('f', 'look', { other: 1 }),
      ...step('g', 'write'),
    ])
    expect(tally.refusal('f')).toContain('blocked')
    expect(tally.refusal('g')).toBeUndefined()
  })
})
