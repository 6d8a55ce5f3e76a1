import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'

export const TryRequest = z.strictObject({
  method: z.string().max(20).optional(),
  endpoint: z.string().max(8_000).optional(),
  params: z.record(z.string(), jsonValue).optional(),
  data: jsonValue.optional(),
  headers: z.record(z.string(), z.string()).optional(),
  tool: z.string().min(1).max(200).optional(),
  arguments: z.record(z.string(), jsonValue).optional(),
  scope_id: z.string().max(200).nullish(),
})
