import { z } from 'zod'

const name = z.string().min(1).max(200).optional()
export const ListQuery = z.object({
  event: name,
  session: name,
  principal: name,
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'is none that a list of the audit log gave')
    .transform(Number)
    .optional(),
})
