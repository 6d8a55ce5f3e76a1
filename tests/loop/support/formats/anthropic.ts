import { z } from 'zod'
import { pairing, type Turn } from './pairing.ts'

const cache = {
  cache_control: z
    .strictObject({ type: z.literal('ephemeral'), ttl: z.string().exactOptional() })
    .exactOptional(),
}
const text = z.strictObject({
  type: z.literal('text'),
  text: z.string().regex(/\S/, 'text content blocks must contain non-whitespace text'),
  ...cache,
})
const image = z.strictObject({
  type: z.literal('image'),
  source: z.strictObject({
    type: z.literal('base64'),
    media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
    data: z.base64(),
  }),
  ...cache,
})
const id = z.string().regex(/^[\w-]+$/)
const result = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: id,
  content: z.union([z.string(), z.array(z.union([text, image]))]),
  is_error: z.boolean().exactOptional(),
  ...cache,
})
const use = z.strictObject({
  type: z.literal('tool_use'),
  id,
  name: z.string().regex(/^[\w-]{1,128}$/),
  input: z.record(z.string(), z.unknown()),
  ...cache,
})
const message = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    content: z.array(z.union([text, image, result])).min(1),
  }),
  z.strictObject({ role: z.literal('assistant'), content: z.array(z.union([text, use])).min(1) }),
])
const body = z.looseObject({
  max_tokens: z.int().positive(),
  system: z.array(text).exactOptional(),
  messages: z.array(message).min(1),
})

/**
 * What the Messages API refuses of a body: it begins and ends with a person's turn, roles
 * alternate, results stand in the turn right behind their calls and before anything else in it, and
 * no text is blank.
 *
 * Source: the Anthropic API reference, "Create a Message", and "How to implement tool use".
 */
export function anthropicMessages(sent: unknown): string | undefined {
  const read = body.safeParse(sent)
  if (!read.success) return z.prettifyError(read.error)
  const { messages } = read.data
  if (messages[0]?.role !== 'user') return 'the first message is not of the user'
  if (messages.at(-1)?.role !== 'user') return 'the last message is not of the user'
  const turns: Turn[] = []
  for (const [at, { role, content }] of messages.entries()) {
    if (role === messages[at - 1]?.role)
      return `messages ${at - 1} and ${at} are both of the ${role}`
    if (role === 'assistant') {
      turns.push({
        calls: content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
      })
      continue
    }
    const first = content.findIndex(({ type }) => type !== 'tool_result')
    if (first !== -1 && content.slice(first).some(({ type }) => type === 'tool_result'))
      return `message ${at} has a tool_result behind other blocks`
    turns.push({
      results: content.flatMap((block) =>
        block.type === 'tool_result' ? [block.tool_use_id] : [],
      ),
    })
  }
  return pairing(turns)
}
