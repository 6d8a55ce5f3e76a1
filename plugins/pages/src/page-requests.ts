import { z } from 'zod'

export const Report = z.object({ message: z.string().max(10_000), stack: z.string().max(50_000) })
