import { describe, expect, test } from 'vitest'
import { clean } from '../../src/journal/clean.ts'
import { canonical, hashOf } from '../../src/journal/hash.ts'

describe('canonical', () => {
  test('does not depend on the order of keys, at any depth', () => {
    expect(canonical({ b: 1, a: { d: [1, { f: 2, e: 3 }], c: null } })).toBe(
      '{"a":{"c":null,"d":[1,{"e":3,"f":2}]},"b":1}',
    )
    expect(hashOf({ a: 1, b: 2 })).toBe(hashOf({ b: 2, a: 1 }))
  })

  test('tells apart what differs', () => {
    const values = [
      {},
      [],
      '',
      null,
      0,
      false,
      { a: 1 },
      { a: '1' },
      { a: [1] },
      [1, 2],
      [2, 1],
      ['1,2'],
    ]
    expect(new Set(values.map(hashOf)).size).toBe(values.length)
  })

  test('is the same in every release: hashes of approvals outlive an upgrade', () => {
    expect(hashOf({ name: 'pay', args: { amount: 10.5, to: 'ö"' }, list: [true, null] })).toBe(
      '58df895df50c3fff172cd76834355c1ad51d77a1e8ecbed5880643381ce5ee60',
    )
  })
})

describe('clean', () => {
  test('takes out NUL and mends lone surrogates, in values and in keys', () => {
    expect(clean({ 'k\0': ['a\0b', { x: '\ud800' }], n: 1, t: true, z: null })).toEqual({
      k: ['ab', { x: '\ufffd' }],
      n: 1,
      t: true,
      z: null,
    })
  })

  test('leaves everything else as it is: other control characters, pairs, and what only looks like an escape', () => {
    const value = { a: '\u0007\n\t', b: '😀', c: String.raw`\u0000 and \ud800`, d: [] }
    expect(clean(value)).toEqual(value)
    const plain = { a: 'nothing to do' }
    expect(clean(plain)).toBe(plain)
  })
})
