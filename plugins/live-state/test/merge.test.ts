import type { Json } from '@amodal/sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { merged } from '../src/merge.ts'

test.each<[string, Json, Json, Json, Json | undefined]>([
  ['numbers are added up', 3, 5, 4, 6],
  ['two have counted up to the same', 3, 4, 4, 5],
  ['two have put the same behind a list', [], ['a'], ['a'], ['a', 'a']],
  ['two have set the same text', 'a', 'b', 'b', 'b'],
  ['what was put behind a list stays', [1], [1, 2], [1, 3], [1, 3, 2]],
  ['keys are merged', { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 5, c: 1 }, { a: 2, b: 5, c: 1 }],
  ['a removed key is gone', { a: 1, b: 1 }, { a: 1 }, { a: 1, b: 1, c: 1 }, { a: 1, c: 1 }],
  ['both have added the same', {}, { a: 1 }, { a: 1 }, { a: 1 }],
  ['a key is removed and changed', { a: 1 }, {}, { a: 2 }, undefined],
  ['a list is changed inside', [1, 2], [2, 1], [1, 2, 3], undefined],
  ['two texts', 'a', 'b', 'c', undefined],
  ['only they have changed it', 'a', 'a', 'c', 'c'],
  ['only I have changed it', 'a', 'b', 'a', 'b'],
])('%s', (_name, base, mine, theirs, made) => {
  expect(merged(base, mine, theirs)).toEqual(made)
})

const counters = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: -9, max: 9 }))
const plain = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json

test('whoever comes first, the same comes of it', () => {
  fc.assert(
    fc.property(counters, counters, counters, (base, mine, theirs) => {
      const [one, other] = [merged(plain(base), mine, theirs), merged(plain(base), theirs, mine)]
      expect(one).toEqual(other)
    }),
  )
})
