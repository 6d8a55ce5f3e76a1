import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'
import { METRICS } from '../definition.ts'

const text = z.string().min(1)
const texts = z.record(text, text)

/** A model, or settings of the agent's own. Where it is and its key cannot be varied. */
const model = z.union([
  z.string().regex(/^[^/\s]+\/\S+$/, { message: 'is no model: write "PROVIDER/MODEL"' }),
  z.strictObject({
    provider: text.exactOptional(),
    model: text.exactOptional(),
    temperature: z.number().min(0).max(2).exactOptional(),
    maxTokens: z.int().positive().exactOptional(),
    topP: z.number().min(0).max(1).exactOptional(),
    seed: z.int().exactOptional(),
    effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).exactOptional(),
    thinking: z.int().min(0).exactOptional(),
  }),
])

const variant = z.object({
  description: z.string().exactOptional(),
  prompt: text.exactOptional(),
  skills: texts.default({}),
  knowledge: texts.default({}),
  model: model.exactOptional(),
  settings: z.record(z.string(), jsonValue).exactOptional(),
  commit: z
    .string()
    .regex(/^\w[\w./~^-]{0,199}$/, { message: 'is no commit: write a hash, a tag or a branch' })
    .exactOptional(),
})
export type WrittenVariant = z.output<typeof variant>
export const VARIANT_FIELDS: readonly string[] = Object.keys(variant.shape)

export const NAME = /^[A-Za-z0-9][\w-]{0,63}$/

/** A file of `experiments/` as it is written. */
export const shape = z.object({
  $schema: z.string().exactOptional(),
  description: z.string().default(''),
  variants: z.record(
    z.string().regex(NAME, { message: 'is no name of a variant: use letters, digits, _ and -' }),
    variant,
  ),
  control: text.exactOptional(),
  share: z.number().min(0).max(1).default(0),
  weights: z.record(text, z.number().positive().max(1_000_000)).exactOptional(),
  metric: z.enum(METRICS).default('feedback'),
  alpha: z.number().min(0.0001).max(0.5).default(0.05),
  minPrincipals: z.int().min(10).max(1_000_000).default(50),
  evals: z.array(text).default([]),
  status: z.enum(['running', 'stopped']).default('running'),
  promoted: text.exactOptional(),
})
export type WrittenExperiment = z.output<typeof shape>
export const FIELDS: readonly string[] = Object.keys(shape.shape)
