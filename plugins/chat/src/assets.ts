import { imageTypeOf } from '@amodal/sdk'
import { fileOfUrl } from '@amodal/sdk/wire'
import { z } from 'zod'

const image = z
  .object({
    mimeType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: z.base64('must be base64').min(1),
  })
  .refine(({ mimeType, data }) => imageTypeOf(data) === mimeType, {
    path: ['data'],
    message: 'is not an image of its declared type',
  })
  .transform(({ mimeType, data }) => ({ mediaType: mimeType, data }))

/** Images of a message, as older clients send them. */
export const images = z.array(image).max(5)

const name = z.string().max(500).exactOptional()
const id = z.string().max(100)

/** A file that was uploaded, by its id or its URL; or a data URL. */
const url = z.string().transform((reference, context) => {
  const file = fileOfUrl(reference)
  if (file.ok) return file.value
  if (/^[0-9a-f]{64}$/.test(reference)) return { asset: reference }
  context.addIssue({ code: 'custom', message: file.error })
  return z.NEVER
})

/** Files of a message. */
export const assets = z
  .array(
    z.union([
      url,
      z.object({ id, name }).transform(({ id: asset, ...named }) => ({ asset, ...named })),
      z
        .object({
          data: z.base64('must be base64').min(1),
          mimeType: z.string().max(200).exactOptional(),
          name,
        })
        .transform(({ mimeType, ...file }) => ({
          ...file,
          ...(mimeType !== undefined && { mediaType: mimeType }),
        })),
    ]),
  )
  .max(100)
