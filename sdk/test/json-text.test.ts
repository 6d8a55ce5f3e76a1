import { describe, expect, test } from 'vitest'
import { parseJson } from '../src/files/index.ts'

const TEXT = `{
  // of people
  "name": "tiny", "plugins": [
    "a", ["b", { "c": 1 }],
  ],
  "name": "small"
}`

describe('JSON of people', () => {
  test('knows where its names and values stand', () => {
    const read = parseJson(TEXT)
    if (!read.ok) throw new Error(read.error[0].message)
    const { value, twice, positionOf } = read.value
    expect(value).toEqual({ name: 'small', plugins: ['a', ['b', { c: 1 }]] })
    expect(twice).toEqual([{ name: 'name', line: 6, column: 3 }])
    expect(positionOf(['plugins'])).toEqual({ line: 3, column: 19 })
    expect(positionOf(['plugins', 1, 1, 'c'])).toEqual({ line: 4, column: 18 })
    expect(positionOf(['plugins', 1, 'not there'])).toEqual({ line: 4, column: 10 })
    expect(positionOf([])).toEqual({ line: 1, column: 1 })
  })

  test.each([
    ['', 1, 1, 'the file is empty'],
    ['{ "a" 1 }', 1, 7, 'a colon is missing after the name'],
    ['{\n  "a": 1\n  "b": 2\n}', 2, 9, 'a comma is missing'],
    ['{\r\n  "a": x\r\n}', 2, 8, 'this is no JSON value'],
    ['['.repeat(200) + ']'.repeat(200), 1, 1, 'the JSON is nested too deeply'],
    ['// nothing', 1, 11, 'a value is missing'],
  ])('%j is wrong at its line and column', (text, line, column, message) => {
    const read = parseJson(text)
    expect(read.ok ? undefined : read.error[0]).toMatchObject({ line, column, message })
  })

  test('takes names for what they are', () => {
    const read = parseJson('{ "__proto__": { "a": 1 } }')
    expect(read.ok && Object.keys(Object(read.value.value))).toEqual(['__proto__'])
  })
})
