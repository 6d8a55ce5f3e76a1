import type { AssetRef } from '@amodal/kernel'
import type { Message } from './ports/model.ts'

type UserPart = Extract<Message, { role: 'user' }>['content'][number]
export type FilePart = Extract<UserPart, { type: 'file' }>

/** Whose reference it is: no provider's, but this runtime's. */
const OWN = 'amodal'
const BYTES = 'bytes'

/**
 * A file as it stands in the history: its name only. The loop puts its bytes in where a model is
 * called.
 */
export const assetPart = ({ asset, mediaType, bytes, name, data }: AssetRef): FilePart => ({
  type: 'file',
  mediaType,
  ...(name !== undefined && { filename: name }),
  data:
    data === undefined
      ? { type: 'reference', reference: { [OWN]: asset, [BYTES]: String(bytes) } }
      : { type: 'data', data },
})

/** The file that a part stands for; `undefined` for any other part. */
export function assetOf(part: UserPart): AssetRef | undefined {
  if (part.type !== 'file' || part.data.type !== 'reference') return undefined
  const { [OWN]: asset, [BYTES]: bytes } = part.data.reference
  return asset === undefined
    ? undefined
    : {
        asset,
        mediaType: part.mediaType,
        bytes: Number(bytes),
        ...(part.filename !== undefined && { name: part.filename }),
      }
}

const TEXTS: ReadonlySet<string> = new Set([
  'application/json',
  'application/xml',
  'application/yaml',
  'application/x-ndjson',
])

/** Whether a model reads files of this type as text, whichever model it is. */
export const isTextType = (mediaType: string): boolean =>
  mediaType.startsWith('text/') || TEXTS.has(mediaType)

/** Whether a type is one of these, such as `image/*`. */
export const isTypeOf = (mediaType: string, types: readonly string[]): boolean =>
  types.some(
    (type) =>
      type === mediaType ||
      type === '*/*' ||
      (type.endsWith('/*') && mediaType.startsWith(type.slice(0, -1))),
  )

/** A file in words, for people and models: `"plan.pdf" (application/pdf, 12 kB)`. */
export function describeAsset({
  name,
  mediaType,
  bytes,
}: Pick<AssetRef, 'name' | 'mediaType' | 'bytes'>): string {
  const size = bytes < 1_000 ? `${bytes} bytes` : `${Math.round(bytes / 1_000)} kB`
  return `${name === undefined ? 'a file' : JSON.stringify(name)} (${mediaType}, ${size})`
}
