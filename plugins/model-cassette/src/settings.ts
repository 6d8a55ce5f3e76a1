import { z } from 'zod'

export const settings = z.strictObject({
  mode: z
    .enum(['off', 'record', 'replay', 'auto'])
    .default('off')
    .describe(
      '`record`: every call is made and kept; `replay`: no call is made; `auto`: what is kept is replayed, the rest is made and kept. `AMODAL_CASSETTE` overrides it',
    ),
  folder: z
    .string()
    .min(1)
    .default('cassettes')
    .describe('of the recordings, from the agent folder'),
  pace: z.enum(['instant', 'recorded']).default('instant').describe('of a replayed stream'),
  ignore: z
    .array(z.string().refine(isPattern, 'is no regular expression'))
    .default([])
    .describe(
      'regular expressions of what differs from run to run, such as dates; left out when requests are compared',
    ),
})
export type CassetteSettings = z.output<typeof settings>

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'g').global
  } catch {
    return false
  }
}
