import { z } from 'zod'

type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/** How the bytes of each type begin; `undefined` stands for any byte. */
const BEGINS: Readonly<Record<ImageType, readonly (number | undefined)[]>> = {
  'image/png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  'image/jpeg': [0xff, 0xd8, 0xff],
  'image/gif': [0x47, 0x49, 0x46, 0x38],
  'image/webp': [0x52, 0x49, 0x46, 0x46, undefined, undefined, undefined, undefined, 0x57, 0x45, 0x42, 0x50],
}

const isType = (type: ImageType, data: string): boolean => {
  const bytes = Buffer.from(data.slice(0, 24), 'base64')
  return BEGINS[type].every((byte, at) => byte === undefined || bytes[at] === byte)
}

/** An image beside a message: base64 of a type that models read, and really of that type. */
export const imageSchema = (maxBytes: number) =>
  z.object({
    mimeType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: z.base64('must be base64').min(1).max(Math.ceil(maxBytes / 3) * 4, `must be at most ${maxBytes} bytes`),
  }).refine(({ mimeType, data }) => isType(mimeType, data), { path: ['data'], message: 'is not an image of the type it is said to be' })
    .transform(({ mimeType, data }) => ({ mediaType: mimeType, data }))
