import { describe, expect, test } from 'vitest'
import { truncate } from '@amodal/sdk'
import { ellipsis, textEnd, textStart } from '@amodal/sdk/data'

const PIECES = [
  'a',
  ' ',
  'é',
  'e\u0301',
  '😀',
  '🇩🇪',
  '👩‍👩‍👧',
  '\r\n',
  '한',
  '\u1100\u1161\u11a8',
  '👍🏽',
]

/** Where characters begin, as people see them. */
const boundariesOf = (text: string): readonly number[] => [
  ...[...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)].map(
    ({ index }) => index,
  ),
  text.length,
]

/** Texts of all pieces, in an order that differs from text to text. */
const texts = Array.from({ length: 60 }, (_, n) =>
  Array.from(
    { length: 60 },
    (__, at) => PIECES[(at * (n + 1) + n * at * at + n) % PIECES.length],
  ).join(''),
)

describe('a text that is cut', () => {
  test('ends at the last character that fits, wherever it is cut', () => {
    for (const text of texts) {
      const boundaries = boundariesOf(text)
      for (let limit = 0; limit <= text.length; limit++) {
        expect(textStart(text, limit).length).toBe(boundaries.findLast((at) => at <= limit))
        const end = textEnd(text, limit)
        expect(text.endsWith(end)).toBe(true)
        expect(boundaries).toContain(text.length - end.length)
        expect(end.length).toBeLessThanOrEqual(limit)
      }
    }
  })

  test('keeps flags in pairs, however many stand in a row', () => {
    const flags = '🇩🇪🇫🇷'.repeat(500)
    for (const limit of [2_000, 2_001, 2_002, 2_003])
      expect(textStart(flags, limit)).toHaveLength(2_000)
  })

  test('keeps pairs of surrogates where a character is longer than any', () => {
    expect(textStart(`e${'\u{E0101}'.repeat(1_000)}`, 502).isWellFormed()).toBe(true)
  })

  test('says how much is missing', () => {
    expect(truncate('😀'.repeat(10), 5)).toBe('😀😀\n… [cut: 20 characters, 4 kept]')
    expect(ellipsis('😀'.repeat(10), 5)).toBe('😀😀…')
    expect(ellipsis('😀', 5)).toBe('😀')
  })
})
