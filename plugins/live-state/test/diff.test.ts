import { patched } from '@amodal/sdk/client'
import type { Json, JsonObject } from '@amodal/sdk'
import fc from 'fast-check'
import { applyPatch, type Operation } from 'rfc6902'
import { expect, test } from 'vitest'
import { diff } from '../src/diff.ts'

const value = fc.jsonValue({ maxDepth: 4 })
const object = fc.dictionary(
  fc.oneof(fc.constantFrom('a', 'b', 'a/b', 'm~n', '', '0'), fc.string({ maxLength: 3 })),
  value,
  { maxKeys: 5 },
)

test('a patch makes the one of the other, for us and for another library', () => {
  fc.assert(
    fc.property(object, object, (before, after) => {
      const from = JSON.parse(JSON.stringify(before)) as JsonObject
      const to = JSON.parse(JSON.stringify(after)) as JsonObject
      const patch = diff(from, to)
      expect(patched(from, patch)).toEqual(to)
      // The other library drops this key on purpose.
      if (JSON.stringify([from, to]).includes('"__proto__"')) return
      const other = structuredClone(from) as Record<string, Json>
      expect(applyPatch(other, patch as Operation[]).filter(Boolean)).toEqual([])
      expect(other).toEqual(to)
    }),
    { numRuns: 500 },
  )
})

test('one changed field of a large state is a short patch', () => {
  const rows = Array.from({ length: 1_000 }, (_, n) => ({ id: n, text: 'x'.repeat(80) }))
  const before: JsonObject = { rows, title: 'one' }
  const after: JsonObject = { rows: rows.with(500, { id: 500, text: 'changed' }), title: 'one' }
  const patch = diff(before, after)
  expect(patch).toEqual([{ op: 'replace', path: '/rows/500/text', value: 'changed' }])
  expect(diff({ rows }, { rows: rows.toSpliced(3, 2) })).toHaveLength(2)
})
