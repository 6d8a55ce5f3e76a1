import { imageTypeOf } from '@amodal/sdk'
import { z } from 'zod'

/** An image beside a message: base64 of a type that models read, and really of that type. */
export const imageSchema = (maxBytes: number) =>
  z
    .object({
      mimeType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
      data: z
        .base64('must be base64')
        .min(1)
        .max(Math.ceil(maxBytes / 3) * 4, `must be at most ${maxBytes} bytes`),
    })
    .refine(({ mimeType, data }) => imageTypeOf(data) === mimeType, {
      path: ['data'],
      message: 'is not an image of the type it is said to be',
    })
    .transform(({ mimeType, data }) => ({ mediaType: mimeType, data }))
