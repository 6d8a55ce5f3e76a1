import { describe, expect, test } from 'vitest'
import { EnvSecrets } from '../src/secrets.ts'
import { masked } from '../src/redaction.ts'

const SECRET = 'sk-planted-"4f9a"-1c77e2'
const secrets = new EnvSecrets(() => SECRET)
secrets.resolve('env:KEY', 'here')
const mask = (text: string): string => secrets.mask(text)

describe('a value', () => {
  test('without a secret is the same value', () => {
    expect(masked({ a: ['b', { c: 1 }] }, mask)).toBeUndefined()
  })

  test.each([
    ['in a text', { a: [`Bearer ${SECRET}`, 2] }, { a: ['Bearer [MASKED]', 2] }],
    ['in JSON inside a text', { a: JSON.stringify({ key: SECRET }) }, { a: '{"key":"[MASKED]"}' }],
    [
      'in base64',
      { deep: { a: Buffer.from(`user:${SECRET}`).toString('base64') } },
      { deep: { a: expect.stringContaining('[MASKED]') as string } },
    ],
  ])('with a secret %s has a mask there, and all else as it was', (_where, value, shown) => {
    expect(masked(value, mask)).toEqual(shown)
  })
})
