import { expect, test } from 'vitest'
import { wordsOf } from '../src/words.ts'

test.each([
  [
    'words in lower case, without signs',
    'INC-204: payments_api!',
    ['inc', '204', 'payments', 'api'],
  ],
  [
    'accents are folded',
    'Crème Brûlée, Straße, Łódź, naïve',
    ['creme', 'brulee', 'strasse', 'lodz', 'naive'],
  ],
  ['in Greek and Cyrillic, too', 'Ελλάδα ещё', ['ελλαδα', 'еще']],
  ['letters that are typed in two ways are one', 'u\u0308ber ﬁle １２', ['uber', 'file', '12']],
  ['marks that are part of a word stay', 'हिन्दी', ['हिन्दी']],
  ['an İ is an i', 'İstanbul ılık', ['istanbul', 'ilik']],
  ['nothing but signs has no words', ' … — !? ', []],
])('%s', (_, text, words) => {
  expect(wordsOf(text)).toEqual(words)
})

test('scripts without spaces are separated by a dictionary', () => {
  expect(wordsOf('渋谷のオフィスの営業時間')).toEqual(
    expect.arrayContaining(['渋谷', 'オフィス', '営業']),
  )
  expect(wordsOf('สวัสดีชาวโลก').length).toBeGreaterThan(1)
  expect(wordsOf('が')).toEqual(['が'])
})

test('a word without an end is cut', () => {
  expect(wordsOf('a'.repeat(100_000))).toEqual(['a'.repeat(64)])
})
