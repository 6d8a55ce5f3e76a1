import { z } from 'zod'
import { DEFAULT_KINDS, KINDS } from './number-kind.ts'

const action = z.enum(['block', 'redact', 'warn'])
/**
 * `block`: the text does not leave. `redact`: a mark in place of what was found. `warn`: it leaves,
 * and the reader is told.
 */
export type Action = z.output<typeof action>

export const settings = z.strictObject({
  fields: action
    .default('redact')
    .describe('For values that connections gave to be used and not to be seen.'),
  patterns: action.default('redact').describe('For numbers of persons and banks.'),
  kinds: z
    .array(z.enum(KINDS))
    .default([...DEFAULT_KINDS])
    .describe('What to look for: numbers, and with `email` and `phone` addresses of persons.'),
  own: z
    .array(z.enum(KINDS))
    .default(['iban', 'bank_account'])
    .describe(
      'Numbers that a person who wrote them may have used and told: their own account, in their own payment.',
    ),
  leaks: action
    .default('block')
    .describe(
      'For values that were taken out of answers, and for any withheld value in an encoding.',
    ),
  scope: z
    .enum(['label', 'warn', 'off'])
    .default('label')
    .describe('For claims about all of what only a part can be seen of.'),
  budget: z
    .int()
    .min(100_000)
    .default(100_000_000)
    .describe(
      'Characters that may be looked at for one reply, each as often as it is looked at; beyond, the reply is cut.',
    ),
})
export type Settings = z.output<typeof settings>
