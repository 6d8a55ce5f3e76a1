import { z } from 'zod'
import { TRUSTED } from './session-texts.ts'

/** ms that a call waits for the model that judges, before it waits for a person. */
export const JUDGE_MS = 20_000

/** What the manifest may say of this plugin. */
export const settings = z.strictObject({
  inside: z
    .array(z.string().min(1))
    .default([])
    .describe('tools, besides stores, that change nothing outside of the agent'),
  flowChars: z
    .int()
    .min(0)
    .default(80)
    .describe(
      'characters of a text of one connection that a read of another one may carry; 0: any',
    ),
  maxChars: z
    .int()
    .min(10_000)
    .default(2_000_000)
    .describe(
      'characters of a conversation that are searched; of older text the origin is unknown',
    ),
  judge: z
    .enum(['off', 'model'])
    .default('off')
    .describe(
      'model: a write does not wait where a model, which sees nothing untrusted, finds that the person asked for it',
    ),
  trusted: z
    .array(z.enum(TRUSTED))
    .default([])
    .describe("what comes with a person's message and is theirs as well: images, files, context"),
})
export type Settings = z.output<typeof settings>
