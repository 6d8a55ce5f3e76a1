import { OutputStream, Review, scan, settings } from '@amodal/plugin-guard-output'
import { describe, expect, test } from 'vitest'
import { DIGITS } from './digits.ts'

const NUMBERS = [
  ['card', 'The card is ', '4111 1111 1111 1111', ' and it is paid.'],
  ['card', 'Card ', '5555555555554444', '.'],
  ['card', '', '4242-4242-4242-4242', ''],
  ['ssn', 'Her SSN is ', '078-05-1121', ', as she says.'],
  ['iban', 'Send it to ', 'DE89 3704 0044 0532 0130 00', ' today.'],
] as const

const sent = (text: string, size: number): string => {
  const out = new OutputStream(new Review(settings.parse({ patterns: 'redact' })), {
    redacted: [],
    roles: [],
  })
  let left = ''
  for (let at = 0; at < text.length; at += size) left += out.push(text.slice(at, at + size))
  return left + out.flush()
}

describe.each(Object.entries(DIGITS))('numbers in %s', (_name, write) => {
  test.each(NUMBERS)('a %s is found: %s%s%s', (kind, before, number, behind) => {
    expect(scan(before + write(number) + behind).map((one) => one.kind)).toEqual([kind])
  })

  test.each([1, 2, 3, 7, 40])('none leaves, in pieces of %d', (size) => {
    for (const [, before, number, behind] of NUMBERS) {
      const left = sent(before + write(number) + behind, size)
      expect(
        left.normalize('NFKD').replaceAll(/<[^>]*>|[^\p{L}\p{N}]/gu, '').length,
      ).toBeLessThanOrEqual(
        (before + behind).replaceAll(/[^\p{L}\p{N}]/gu, '').length +
          'REDACTED'.length +
          'DE'.length,
      )
    }
  })
})
