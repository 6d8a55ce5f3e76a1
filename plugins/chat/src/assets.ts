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
    message: 'is not an image of the type it is said to be',
  })
  .transform(({ mimeType, data }) => ({ mediaType: mimeType, data }))

/** Images beside a message, as older clients send them. */
export const images = z.array(image).max(5)

const name = z.string().max(500).exactOptional()
const id = z.string().max(100)

/** A file that was uploaded, by its id or its URL; or a data URL. */
const url = z.string().transform((said, context) => {
  const file = fileOfUrl(said)
  if (file.ok) return file.value
  if (/^[0-9a-f]{64}$/.test(said)) return { asset: said }
  context.addIssue({ code: 'custom', message: file.error })
  return z.NEVER
})

/** Files beside a message. */
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
