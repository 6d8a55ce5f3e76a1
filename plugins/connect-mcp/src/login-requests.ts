import { z } from 'zod'

export const beginning = z.strictObject({
  /** On the machine of who signs in; left out: this server. */
  redirect_uri: z.string().optional(),
})
export const returning = z.strictObject({ query: z.string().max(20_000) })
