import { describe, expect, test } from 'vitest'
import { contractDifferences, bumpOf } from '../src/publish/schema-difference.ts'
import { parseConstraint } from '../src/versions.ts'

const ALL = ['0.9.0', '1.0.0', '1.0.1', '1.2.0', '1.2.5', '1.3.0', '2.0.0', '10.0.0']

describe('constraints', () => {
  test.each([
    ['>=1.2,<2', '1.2.0 1.2.5 1.3.0'],
    ['>=1.2, <2, !=1.2.5', '1.2.0 1.3.0'],
    ['==1.2.*', '1.2.0 1.2.5'],
    ['!=1.*', '0.9.0 2.0.0 10.0.0'],
    ['==1.2', '1.2.0'],
    ['===1.2.5', '1.2.5'],
    ['~=1.2', '1.2.0 1.2.5 1.3.0'],
    ['~=1.2.1', '1.2.5'],
    // later than 1.2.0, where semver means 1.3.0 or later
    ['>1.2', '1.2.5 1.3.0 2.0.0 10.0.0'],
    ['<=1.2', '0.9.0 1.0.0 1.0.1 1.2.0'],
    ['<1', '0.9.0'],
    ['^1.2', '1.2.0 1.2.5 1.3.0'],
    ['~1.2', '1.2.0 1.2.5'],
    ['1.x', '1.0.0 1.0.1 1.2.0 1.2.5 1.3.0'],
    ['1.2.5', '1.2.5'],
    ['>=1.2.0 <1.3.0', '1.2.0 1.2.5'],
    ['^1.3 || ^2', '1.3.0 2.0.0'],
    ['*', ALL.join(' ')],
  ])('%s', (text, fitting) => {
    const constraint = parseConstraint(text)
    expect(constraint.ok && ALL.filter(constraint.value).join(' ')).toBe(fitting)
  })

  test.each(['', ',', '>=1,', 'latest', '~=1', '>=1.*', '=>1', '1.2.3.4', '>='.padEnd(300, '1')])(
    'none: %s',
    (text) => {
      expect(parseConstraint(text)).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
    },
  )
})

describe('differences of schemas', () => {
  const object = (properties: object, more: object = {}) =>
    ({ type: 'object', properties, ...more }) as never
  const string = { type: 'string' }
  const need = (before: object, after: object) =>
    ({
      input: bumpOf(
        contractDifferences(
          { input: before as never, output: undefined },
          { input: after as never, output: undefined },
        ),
      ),
      output: bumpOf(
        contractDifferences(
          { input: object({}), output: before as never },
          { input: object({}), output: after as never },
        ),
      ),
    }) as const

  test.each([
    ['the same', object({ a: string }), object({ a: string }), 'patch', 'patch'],
    [
      'a description',
      object({ a: string }),
      object({ a: { ...string, description: 'x' } }),
      'patch',
      'patch',
    ],
    ['a field more', object({}), object({ a: string }), 'minor', 'minor'],
    [
      'a required field more',
      object({}),
      object({ a: string }, { required: ['a'] }),
      'major',
      'minor',
    ],
    ['a field less', object({ a: string }), object({}), 'major', 'major'],
    [
      'a field required',
      object({ a: string }),
      object({ a: string }, { required: ['a'] }),
      'major',
      'minor',
    ],
    [
      'a field optional',
      object({ a: string }, { required: ['a'] }),
      object({ a: string }),
      'minor',
      'major',
    ],
    ['another type', object({ a: string }), object({ a: { type: 'number' } }), 'major', 'major'],
    [
      'integer to number',
      object({ a: { type: 'integer' } }),
      object({ a: { type: 'number' } }),
      'minor',
      'major',
    ],
    [
      'number to integer',
      object({ a: { type: 'number' } }),
      object({ a: { type: 'integer' } }),
      'major',
      'major',
    ],
    [
      'a value more',
      object({ a: { enum: [1] } }),
      object({ a: { enum: [1, 2] } }),
      'minor',
      'major',
    ],
    [
      'a value less',
      object({ a: { enum: [1, 2] } }),
      object({ a: { enum: [1] } }),
      'major',
      'major',
    ],
    [
      'a higher minimum',
      object({ a: { minimum: 1 } }),
      object({ a: { minimum: 2 } }),
      'major',
      'major',
    ],
    [
      'a higher maximum',
      object({ a: { maximum: 1 } }),
      object({ a: { maximum: 2 } }),
      'minor',
      'major',
    ],
    ['no other fields', object({}), object({}, { additionalProperties: false }), 'major', 'major'],
    [
      'items',
      object({ a: { items: string } }),
      object({ a: { items: { type: 'null' } } }),
      'major',
      'major',
    ],
    [
      'a pattern',
      object({ a: { pattern: 'a' } }),
      object({ a: { pattern: 'b' } }),
      'major',
      'major',
    ],
  ])('%s', (_, before, after, input, output) => {
    expect(need(before, after)).toEqual({ input, output })
  })

  test('a schema of outputs is added or removed', () => {
    const [without, withOne] = [
      { input: object({}), output: undefined },
      { input: object({}), output: object({}) },
    ]
    expect(bumpOf(contractDifferences(without, withOne))).toBe('minor')
    expect(bumpOf(contractDifferences(withOne, without))).toBe('major')
  })
})
