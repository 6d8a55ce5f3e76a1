import { scan } from '@amodal/plugin-guard-output'
import { describe, expect, test } from 'vitest'
import { accounts, ORDINARY } from './banks.ts'

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** Texts are shown of the first half only: the second is not to be tuned on. */
describe.each([
  ['first', 0],
  ['second', 1],
] as const)('bank accounts of the %s half', (which, half) => {
  test('are found in every context', () => {
    const all = accounts(half)
    const missed = all.filter(({ text, number }) => {
      const begin = text.indexOf(number)
      return !scan(text).some(({ start, end }) => start <= begin && end >= begin + number.length)
    })
    print(`${which}: ${all.length - missed.length} of ${all.length} accounts found`)
    if (half === 0)
      for (const { country, text } of missed) print(`  ${country}: ${JSON.stringify(text)}`)
    expect(missed.length).toBe(0)
  })
})

test.each(ORDINARY)('no account is found in an ordinary text: %s', (text) => {
  expect(scan(text)).toEqual([])
})
