import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'

export const Page = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(20),
  offset: z.coerce.number().int().min(0).default(0),
})
export const Retry = z.object({
  /** In place of the one that was given up. */
  document: z.record(z.string(), jsonValue).optional(),
})
