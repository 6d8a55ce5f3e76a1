import { z } from 'zod'
import { PATTERNS } from './finding.ts'

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
    .array(z.enum(PATTERNS))
    .default([...PATTERNS])
    .describe('The numbers to look for.'),
  own: z
    .array(z.enum(PATTERNS))
    .default(['iban', 'bank_account'])
    .describe(
      'Numbers that a person who wrote them may have used and told: their own account, in their own payment.',
    ),
  leaks: action
    .default('block')
    .describe('For values that were taken out of answers, and for any withheld value in disguise.'),
  scope: z
    .enum(['label', 'warn', 'off'])
    .default('label')
    .describe('For claims about all of what only a part can be seen of.'),
  links: z
    .enum(['remove', 'keep'])
    .default('remove')
    .describe(
      "`remove`: links to hosts that neither the person nor the agent's files have named go where their address carries data, and show their host where not; nothing loads by itself but images of `image_hosts`.",
    ),
  hosts: z
    .array(z.string().min(1))
    .default([])
    .describe('More hosts that links may go to; those below them too.'),
  image_hosts: z
    .array(z.string().min(1))
    .default([])
    .describe(
      "Hosts that a reader's client may load images from; those below them too. Images of the page's own origin are loaded.",
    ),
  budget: z
    .int()
    .min(100_000)
    .default(100_000_000)
    .describe(
      'Characters that may be looked at for one reply, each as often as it is looked at; beyond, the reply is cut.',
    ),
})
export type Settings = z.output<typeof settings>
