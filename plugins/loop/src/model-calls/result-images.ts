import { imageTypeOf, type Message, type ToolContent } from '@amodal/sdk'

type ToolPart = Extract<Message, { role: 'tool' }>['content'][number]
type Output = Extract<ToolPart, { type: 'tool-result' }>['output']
type OutputPart = Extract<Output, { type: 'content' }>['value'][number]

/**
 * The most base64 characters of one image; some providers refuse a conversation with larger ones.
 */
const MOST_CHARS = 5_000_000
/** The most images of one result. */
const MOST_IMAGES = 20

/**
 * A result with the images that every provider accepts, with their detected types. Provider plugins
 * convert them if needed.
 */
export function withImages(text: string, content: readonly ToolContent[] = []): Output | undefined {
  const images = content
    .flatMap((part): readonly OutputPart[] => {
      if (
        part.type !== 'image' ||
        part.isUrl === true ||
        part.audience === 'user' ||
        part.data.length > MOST_CHARS
      )
        return []
      const mediaType = imageTypeOf(part.data)
      return mediaType ? [{ type: 'file', mediaType, data: { type: 'data', data: part.data } }] : []
    })
    .slice(0, MOST_IMAGES)
  return images.length === 0
    ? undefined
    : { type: 'content', value: [{ type: 'text', text }, ...images] }
}
