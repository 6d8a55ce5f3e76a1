import type { JsonObject } from '@amodal/sdk'
import { ExactNumber } from '@amodal/sdk/data'
import { expect, test } from 'vitest'
import { changesOfPatch } from '../src/patch.ts'

const VALUES = {
  board: { cards: [{ id: 1, done: false }] },
  phase: 'open',
  balance: new ExactNumber('12345678901234567890'),
}

test('a patch gives the properties that it changes, and leaves the values as they were', () => {
  const before = JSON.stringify(VALUES)
  expect(
    changesOfPatch(VALUES, [
      { op: 'test', path: '/phase', value: 'open' },
      { op: 'replace', path: '/board/cards/0/done', value: true },
      { op: 'add', path: '/board/cards/-', value: { id: 2, done: false } },
      { op: 'copy', from: '/board/cards/0', path: '/board/first' },
    ]),
  ).toEqual({
    ok: true,
    value: {
      board: {
        cards: [
          { id: 1, done: true },
          { id: 2, done: false },
        ],
        first: { id: 1, done: true },
      },
    },
  })
  expect(JSON.stringify(VALUES)).toBe(before)
})

test('numbers keep their digits', () => {
  const changes = changesOfPatch(VALUES, [{ op: 'copy', from: '/balance', path: '/board/balance' }])
  expect(changes).toMatchObject({ ok: true, value: { board: { balance: VALUES.balance } } })
})

test.each<[JsonObject, string]>([
  [{ op: 'set', path: '/phase', value: 1 }, '`op` is "set", and must be one of add, replace, test'],
  [{ op: 'replace', path: 'phase', value: 1 }, '`path` must be a JSON Pointer'],
  [{ op: 'replace', path: '', value: {} }, '`path` must be a JSON Pointer'],
  [{ op: 'replace', path: '/phase' }, '`replace` needs `value`'],
  [{ op: 'move', path: '/phase' }, '`move` needs `from`'],
  [
    { op: 'test', path: '/phase', value: 'shut' },
    'operation 0 ({"op":"test","path":"/phase","value":"shut"}): has another value',
  ],
  [
    { op: 'replace', path: '/board/cards/7', value: 1 },
    'operation 0 ({"op":"replace","path":"/board/cards/7","value":1})',
  ],
  [{ op: 'remove', path: '/phase' }, 'state.phase: a property cannot be removed'],
  [
    { op: 'add', path: '/__proto__/polluted', value: 1 },
    'operation 0: no place in the state is called "__proto__"',
  ],
])('%j is refused', (operation, message) => {
  expect(changesOfPatch(VALUES, [operation])).toMatchObject({
    ok: false,
    error: { code: 'STATE_REFUSED', message: expect.stringContaining(message) as string },
  })
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})
