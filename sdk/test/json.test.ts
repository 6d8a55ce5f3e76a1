import { describe, expect, test } from 'vitest'
import { truncate, mapTexts } from '../src/index.ts'

const loud = (text: string): string => text.toUpperCase()

describe('texts of a value', () => {
  test('are changed at any depth; names are let be, unless they are asked for', () => {
    const value = { a: ['x', 1, { b: 'y', c: null }], d: true }
    expect(mapTexts(value, loud)).toEqual({ a: ['X', 1, { b: 'Y', c: null }], d: true })
    expect(mapTexts(value, loud, true)).toEqual({ A: ['X', 1, { B: 'Y', C: null }], D: true })
    expect(value).toEqual({ a: ['x', 1, { b: 'y', c: null }], d: true })
  })

  test('that stay as they are cost no copy', () => {
    const value = { A: ['X', { B: 'Y' }] }
    expect(mapTexts(value, loud)).toBe(value)
    expect(mapTexts(value, loud, true)).toBe(value)
  })
})

test('a text is cut with a mark that says how much is missing', () => {
  expect(truncate('abcdef', 3)).toBe('abc\n… [cut: 6 characters, 3 kept]')
  expect(truncate('abc', 3)).toBe('abc')
})
