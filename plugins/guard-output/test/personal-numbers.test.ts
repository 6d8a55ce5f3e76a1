import { expect, test } from 'vitest'
import { personalNumbers } from '../src/personal-numbers.ts'

test('finds every kind, whatever is redacted, in order and without overlaps', () => {
  const text =
    'ann@acme.com, +49 151 2345678, 4111 1111 1111 1111, DE89 3704 0044 0532 0130 00, 219-09-9999, account no 8830071, bob%40acme.com'
  const found = personalNumbers(text) ?? []
  expect(found.map(({ kind, start, end }) => [kind, text.slice(start, end)])).toEqual([
    ['email', 'ann@acme.com'],
    ['phone', '+49 151 2345678'],
    ['card', '4111 1111 1111 1111'],
    ['iban', 'DE89 3704 0044 0532 0130 00'],
    ['ssn', '219-09-9999'],
    ['bank_account', '8830071'],
    ['email', 'bob%40acme.com'],
  ])
  expect(personalNumbers('nothing of the kind: 2026-03-26, v1.2.3')).toEqual([])
})
