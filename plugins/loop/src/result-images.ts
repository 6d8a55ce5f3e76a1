import { imageTypeOf, type Message, type ToolContent } from '@amodal/sdk'

type ToolPart = Extract<Message, { role: 'tool' }>['content'][number]
type Output = Extract<ToolPart, { type: 'tool-result' }>['output']
type OutputPart = Extract<Output, { type: 'content' }>['value'][number]

/**
 * Characters of base64 of one image: larger ones are refused by some provider, and with them the
 * whole conversation.
 */
const MOST_CHARS = 5_000_000
/** Images of one result. */
const MOST_IMAGES = 20

/**
 * A result with its images, as the model gets it: those that every provider reads, as what they
 * really are. Providers without images in results are given something else by their plugins.
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
