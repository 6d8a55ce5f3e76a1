import type { Item, SessionFile } from './item.ts'

/** Everything of a conversation that one side contributed before the other did. */
export interface ChatMessage {
  readonly key: string
  readonly role: 'user' | 'assistant'
  /** Its texts, in Markdown where the agent wrote them. */
  readonly text: string
  /** In the order in which they happened. */
  readonly parts: readonly Item[]
  /** Files that went with it. */
  readonly files: readonly SessionFile[]
  /** Of a message of the person: the server does not have it yet. */
  readonly unsent: boolean
}

/**
 * The messages of a conversation, out of its items: one for each message of the person, and one for
 * all that the agent did until the next one.
 *
 * @param earlier the result for earlier items: messages that are unchanged are the same objects
 */
export function messagesOf(
  items: readonly Item[],
  earlier: readonly ChatMessage[] = [],
): readonly ChatMessage[] {
  const messages: ChatMessage[] = []
  let parts: Item[] = []
  const flush = (): void => {
    const [first] = parts
    if (first) messages.push(assistantMessage(first.key, parts))
    parts = []
  }
  for (const item of items) {
    if (item.kind !== 'user') {
      parts.push(item)
      continue
    }
    flush()
    messages.push({
      key: item.key,
      role: 'user',
      text: item.text,
      parts: [item],
      files: item.assets ?? [],
      unsent: item.unsent ?? false,
    })
  }
  flush()
  return messages.map((message, at) => {
    const before = earlier[at]
    return before && hasSameParts(before, message) ? before : message
  })
}

const hasSameParts = (one: ChatMessage, other: ChatMessage): boolean =>
  one.key === other.key &&
  one.parts.length === other.parts.length &&
  one.parts.every((part, at) => part === other.parts[at])

const assistantMessage = (key: string, parts: readonly Item[]): ChatMessage => ({
  key: `a-${key}`,
  role: 'assistant',
  text: parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n'),
  parts,
  files: [],
  unsent: false,
})
