/** Types of images that the models of all providers read. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/** The same as a list. */
export const IMAGE_TYPES: readonly ImageType[] = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
]

/** How each begins, byte by byte. */
const BEGINS: readonly (readonly [ImageType, readonly (number | undefined)[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  [
    'image/webp',
    [0x52, 0x49, 0x46, 0x46, undefined, undefined, undefined, undefined, 0x57, 0x45, 0x42, 0x50],
  ],
]

/** Longer than any beginning, in characters of base64. */
const HEAD = 64

/**
 * The type of an image according to its first bytes, regardless of the declared type: a provider
 * refuses a conversation permanently if an image has another type than declared, or is no image.
 *
 * @param data base64
 */
export function imageTypeOf(data: string): ImageType | undefined {
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined
  const head = Buffer.from(data.slice(0, HEAD), 'base64')
  return BEGINS.find(
    ([, bytes]) =>
      head.length >= bytes.length &&
      bytes.every((byte, at) => byte === undefined || head[at] === byte),
  )?.[0]
}
