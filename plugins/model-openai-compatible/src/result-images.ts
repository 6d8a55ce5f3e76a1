import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'

type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>
type UserMessage = Extract<LanguageModelV4Message, { role: 'user' }>
type UserPart = UserMessage['content'][number]

/** Made once each: what was sent before is known by its messages. */
type Made = WeakMap<LanguageModelV4Message, readonly LanguageModelV4Message[]>
const shown: Made = new WeakMap()
const told: Made = new WeakMap()

/**
 * The prompt for an endpoint whose results are texts only. Images of results follow in a message of
 * their own, which says where they are from.
 *
 * @param images `false`: a text says that there are some
 */
export function withoutResultImages(
  prompt: LanguageModelV4Prompt,
  images: boolean,
): LanguageModelV4Prompt {
  if (!prompt.some(hasImages)) return prompt
  const made = images ? shown : told
  return prompt.flatMap((message) => {
    if (!hasImages(message)) return [message]
    const known = made.get(message) ?? split(message, images)
    made.set(message, known)
    return [...known]
  })
}

/** Whether results of this message have images. */
export const hasImages = (message: LanguageModelV4Message): message is ToolMessage =>
  message.role === 'tool' &&
  message.content.some(
    (part) =>
      part.type === 'tool-result' &&
      part.output.type === 'content' &&
      part.output.value.some(({ type }) => type === 'file'),
  )

function split(message: ToolMessage, images: boolean): readonly LanguageModelV4Message[] {
  const behind: UserPart[] = []
  const content = message.content.map((part): ToolMessage['content'][number] => {
    if (part.type !== 'tool-result' || part.output.type !== 'content') return part
    const { value } = part.output
    const files = value.flatMap((one): readonly UserPart[] =>
      one.type === 'file' ? [{ type: 'file', mediaType: one.mediaType, data: one.data }] : [],
    )
    const text = value.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('\n')
    const count = files.length === 1 ? '1 image' : `${files.length} images`
    if (images && files.length > 0)
      behind.push(
        { type: 'text', text: `[${count} of the result of ${part.toolName}, not of the person:]` },
        ...files,
      )
    const remark = images
      ? `\n[${count}: see the next message]`
      : `\n[${count}, which you cannot see: this model takes none in results]`
    const note = files.length === 0 ? '' : remark
    return { ...part, output: { type: 'text', value: `${text}${note}` } }
  })
  return [
    { ...message, content },
    ...(behind.length > 0 ? [{ role: 'user' as const, content: behind }] : []),
  ]
}
