import type { Json } from '@amodal/sdk'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { filterRows, isOwn, type Scoped } from '../src/row-scope.ts'

const strict: Scoped = { field: 'owner_id', expected: 'me', label: 'your deals', strict: true }
const lenient: Scoped = { ...strict, strict: false }
const mine = { id: 1, owner_id: 'me' }
const other = { id: 2, owner_id: 'you' }
const unsaid = { id: 3, name: 'x' }

describe('rows', () => {
  test.each<[string, Json, Json, number]>([
    ['a list', [mine, other, unsaid], [mine], 2],
    ['a list in a field', { data: [mine, other], total: 2 }, { data: [mine], total: 2 }, 1],
    ['one further down', { data: { deals: [other, mine] } }, { data: { deals: [mine] } }, 1],
    [
      'edges',
      { edges: [{ node: mine }, { node: other }] },
      { edges: [{ node: mine }, { node: null }] },
      1,
    ],
    ['in another spelling', [{ ownerId: 'me' }, { 'Owner-ID': 'you' }], [{ ownerId: 'me' }], 1],
    [
      'as an object',
      [{ owner_id: { id: 'me' } }, { owner_id: { id: 'you' } }],
      [{ owner_id: { id: 'me' } }],
      1,
    ],
    [
      'as a list of owners',
      [{ owner_id: ['you', 'me'] }, { owner_id: ['you'] }],
      [{ owner_id: ['you', 'me'] }],
      1,
    ],
    [
      'further down, of an own one',
      [{ ...mine, related: [other, mine], parent: other }],
      [{ ...mine, related: [mine], parent: null }],
      2,
    ],
    ['an empty list', [], [], 0],
    ['an empty envelope', { data: [], total: 0 }, { data: [], total: 0 }, 0],
  ])('%s', (_, value, kept, removed) => {
    expect(filterRows(value, [strict])).toEqual({ value: kept, removed, nothing: false })
  })

  test('a single row that is not theirs, or does not say so, is none', () => {
    for (const value of [other, unsaid, { ...unsaid, tags: [] }, { data: unsaid }])
      expect(filterRows(value, [strict]).nothing, JSON.stringify(value)).toBe(true)
    expect(filterRows(mine, [strict]).nothing).toBe(false)
    expect(filterRows({ data: mine }, [strict]).nothing).toBe(false)
    expect(filterRows(unsaid, [lenient]).nothing).toBe(false)
    expect(filterRows(other, [lenient]).nothing).toBe(true)
  })

  test('numbers are compared as texts, and a path leads further down', () => {
    expect(
      filterRows([{ a: { b: 7 } }, { a: { b: 8 } }], [{ ...strict, field: 'a.b', expected: '7' }]),
    ).toMatchObject({ value: [{ a: { b: 7 } }], removed: 1 })
  })

  test("no row that says it is another's is left, at any depth", () => {
    const row = fc.record({ owner_id: fc.constantFrom('me', 'you', 'them'), id: fc.nat(9) })
    const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<Json>(1, 'a', null),
        row,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'data', 'rows'), tie('tree')),
      ),
    }))
    fc.assert(
      fc.property(tree, fc.boolean(), (value, isStrict) => {
        const { value: kept, nothing } = filterRows(value, [{ ...strict, strict: isStrict }])
        if (!nothing) expect(JSON.stringify(kept)).not.toMatch(/you|them/)
      }),
      { numRuns: 2_000 },
    )
  })
})

test('a row that was read is own where it says so', () => {
  expect(
    [mine, { data: mine }, other, unsaid, { data: other }, [mine]].map((value) =>
      isOwn(value, [strict]),
    ),
  ).toEqual([true, true, false, false, false, false])
})
