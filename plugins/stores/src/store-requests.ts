import type { JsonObject } from '@amodal/sdk'
import { jsonValue, parseExact } from '@amodal/sdk/data'
import { z } from 'zod'

/** Documents that one request gives at most. */
export const MOST = 1_000
const Filter = z.string().transform((text, context): JsonObject => {
  try {
    return z.record(z.string(), jsonValue).parse(parseExact(text))
  } catch {
    context.addIssue({
      code: 'custom',
      message: 'must be a JSON object, such as {"status":"open"}',
    })
    return z.NEVER
  }
})
export const Query = z.object({
  filter: Filter.optional(),
  sort: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(MOST).optional(),
  offset: z.coerce.number().int().min(0).optional(),
})
export const Payload = z.record(z.string(), jsonValue)
