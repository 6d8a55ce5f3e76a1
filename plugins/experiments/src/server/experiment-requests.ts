import { z } from 'zod'

export const Promoted = z.strictObject({ variant: z.string().min(1).max(200) })
export const Stopped = z.strictObject({})
