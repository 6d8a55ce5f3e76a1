import { z } from 'zod'

export const Count = z.object({ limit: z.coerce.number().int().min(1).max(500).default(20) })
export const Deliveries = Count.extend({
  status: z.enum(['pending', 'delivered', 'dead']).exactOptional(),
})
export const Redrive = z.object({
  ids: z.union([z.literal('all'), z.array(z.string().min(1)).max(1_000)]),
})
export const Backfill = z.object({ from: z.iso.datetime(), to: z.iso.datetime() })
