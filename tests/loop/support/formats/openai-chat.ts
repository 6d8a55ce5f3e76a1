import { z } from 'zod'
import { pairing } from './pairing.ts'

const text = z.strictObject({ type: z.literal('text'), text: z.string() })
const image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    url: z.string().regex(/^(https?:|data:image\/\w+;base64,[\w+/]+=*$)/),
    detail: z.string().exactOptional(),
  }),
})
/** Longer ones are refused as `string_above_max_length`. */
const id = z.string().min(1).max(40)
const call = z.strictObject({
  id,
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().regex(/^[\w-]{1,64}$/), arguments: z.string() }),
})
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content: z.string() }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.union([text, image])).min(1)]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().nullish(),
    tool_calls: z.array(call).min(1).exactOptional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: id, content: z.string() }),
])

const body = z.looseObject({ messages: z.array(message).min(1) })

/**
 * What chat completions refuse of a body.
 *
 * Source: the OpenAI API reference, "Create chat completion".
 */
export function openaiChat(sent: unknown): string | undefined {
  const read = body.safeParse(sent)
  if (!read.success) return z.prettifyError(read.error)
  const { messages } = read.data
  if (
    messages.some(
      (one) =>
        one.role === 'assistant' && one.tool_calls === undefined && typeof one.content !== 'string',
    )
  )
    return 'an assistant message has neither content nor tool calls'
  return pairing(
    messages.map((one) =>
      one.role === 'tool'
        ? { results: [one.tool_call_id] }
        : { calls: one.role === 'assistant' ? (one.tool_calls ?? []).map((each) => each.id) : [] },
    ),
  )
}
