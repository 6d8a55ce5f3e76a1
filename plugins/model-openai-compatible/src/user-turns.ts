import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'

type UserMessage = Extract<LanguageModelV4Message, { role: 'user' }>
type UserPart = UserMessage['content'][number]

/** Made once each: what was sent before is known by its messages. */
const joined = new WeakMap<UserMessage, WeakMap<UserMessage, UserMessage>>()

/**
 * The prompt with one message for each turn of a person. A turn that failed leaves two in a row,
 * and many chat templates refuse those: roles have to alternate.
 */
export function alternating(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  if (!prompt.some(({ role }, at) => role === 'user' && prompt[at - 1]?.role === 'user'))
    return prompt
  const messages: LanguageModelV4Message[] = []
  for (const message of prompt) {
    const last = messages.at(-1)
    if (last?.role === 'user' && message.role === 'user')
      messages[messages.length - 1] = join(last, message)
    else messages.push(message)
  }
  return messages
}

function join(first: UserMessage, second: UserMessage): UserMessage {
  const known = joined.get(first) ?? new WeakMap<UserMessage, UserMessage>()
  joined.set(first, known)
  const message: UserMessage = known.get(second) ?? {
    ...first,
    content: joinParts([...first.content, ...second.content]),
  }
  known.set(second, message)
  return message
}

/** Texts side by side become one: some endpoints take no list of parts. */
function joinParts(parts: readonly UserPart[]): UserPart[] {
  const content: UserPart[] = []
  for (const part of parts) {
    const last = content.at(-1)
    if (last?.type === 'text' && part.type === 'text' && !last.providerOptions)
      content[content.length - 1] = { ...part, text: `${last.text}\n\n${part.text}` }
    else content.push(part)
  }
  return content
}

/** One for all: what was sent before is known by its messages. */
const NO_REPLY: LanguageModelV4Message = {
  role: 'assistant',
  content: [{ type: 'text', text: '[The turn ended here, without a reply.]' }],
}

/** The prompt with a reply between results and a message of a person, as a failed turn lacks it. */
export const withReplies = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt =>
  prompt.flatMap((message, at) =>
    message.role === 'user' && prompt[at - 1]?.role === 'tool' ? [NO_REPLY, message] : [message],
  )
