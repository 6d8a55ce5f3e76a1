import { describe, expect, test } from 'vitest'
import { canonical, deepFreeze, hashOf, type Json } from '@amodal/sdk'
import {
  ExactNumber,
  isExact,
  parseExact,
  quoteNumbers,
  repairEscapes,
  reviveNumbers,
  unquoteNumbers,
} from '@amodal/sdk/data'

const read = (text: string): Json => parseExact(text) as Json // of the test

describe('numbers that a double cannot hold', () => {
  test.each([
    '2512292042121000001',
    '-9007199254740993',
    '12345678901234567.89',
    '0.10000000000000001',
    '1e400',
    '123e-400',
    '10000000000000000000000',
  ])('%s is written as it was read', (digits) => {
    for (const text of [digits, `[${digits}]`, `{"a":{"b":[1,${digits}]},"c":"${digits}"}`])
      expect(JSON.stringify(read(text))).toBe(text)
    const value = read(digits)
    expect(isExact(value)).toBe(true)
    expect(isExact(value) && value.toString()).toBe(digits)
    expect(Number(value)).toBe(Number(digits))
    expect(canonical({ a: value })).toBe(`{"a":${digits}}`)
  })

  test.each([
    '0',
    '-1.5',
    '9007199254740992',
    '2512292042121000000',
    '0.30000000000000004',
    '1e22',
  ])('%s is a number', (digits) => {
    expect(read(digits)).toBe(Number(digits))
  })

  test('have a hash of their digits, and stay when they are frozen', () => {
    const [one, other] = ['2512292042121000001', '2512292042121000002'].map(read)
    expect(hashOf(one ?? null)).not.toBe(hashOf(other ?? null))
    expect(JSON.stringify(deepFreeze({ one }))).toBe('{"one":2512292042121000001}')
  })

  test('are quoted for a library that parses by itself, and come back', () => {
    const text =
      '{"a":"x 2512292042121000001 \\"1234567890123456789","b":2512292042121000001,"c":[1.5,-9007199254740993]}'
    const parsed = JSON.parse(quoteNumbers(text)) as Json // of the test
    expect(unquoteNumbers(JSON.stringify(parsed))).toBe(text)
    expect(JSON.stringify(reviveNumbers(parsed))).toBe(text)
    expect(reviveNumbers({ a: ['\0number:none', 1] })).toEqual({ a: ['\0number:none', 1] })
  })

  test('are made of numbers only', () => {
    expect(() => new ExactNumber('1,"evil":2')).toThrow(TypeError)
  })
})

describe('halves of characters', () => {
  test('are replaced where they stand alone', () => {
    expect(repairEscapes('["\\ud83d\\ude00","\\\\ud83d","\\ud83d","\\ude00x","\\\\\\ud83d"]')).toBe(
      '["\\ud83d\\ude00","\\\\ud83d","\\ufffd","\\ufffdx","\\\\\\ufffd"]',
    )
    expect(read('{"a":"\\ud83d"}')).toEqual({ a: '\uFFFD' })
  })
})
