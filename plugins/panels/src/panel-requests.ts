import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'

export const newMember = z.strictObject({
  title: z.string().max(200).default(''),
  state: z.record(z.string(), jsonValue).default({}),
  scope_id: z.string().max(200).nullish(),
})
export const question = z.strictObject({
  message: z.string().min(1).max(100_000),
  order: z.enum(['together', 'in_turn']).default('together'),
  /** Ids of their sessions; all of them where it is left out. */
  members: z.array(z.string()).min(1).max(1_000).exactOptional(),
  scope_id: z.string().max(200).nullish(),
})
