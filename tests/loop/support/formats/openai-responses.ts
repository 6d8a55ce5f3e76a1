import { z } from 'zod'

const content = z
  .array(
    z.union([
      z.strictObject({ type: z.literal('input_text'), text: z.string() }),
      z.strictObject({
        type: z.literal('input_image'),
        image_url: z.string().regex(/^(https?:|data:image\/\w+;base64,[\w+/]+=*$)/),
        detail: z.string().exactOptional(),
      }),
    ]),
  )
  .min(1)
/** Longer ones are refused as `string_above_max_length`. */
const id = z.string().min(1).max(64)
const item = z.union([
  z.strictObject({ role: z.enum(['system', 'developer']), content: z.string() }),
  z.strictObject({ role: z.literal('user'), content: z.union([z.string(), content]) }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([
      z.string(),
      z.array(z.strictObject({ type: z.literal('output_text'), text: z.string() })).min(1),
    ]),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    call_id: id,
    name: z.string().regex(/^[\w-]{1,128}$/),
    arguments: z.string(),
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    call_id: id,
    output: z.union([z.string(), content]),
  }),
])
const body = z.looseObject({ input: z.array(item).min(1) })

/**
 * What the responses API refuses of a body. A call and its output are matched by id, wherever they
 * stand.
 *
 * Source: the OpenAI API reference, "Create a model response".
 */
export function openaiResponses(sent: unknown): string | undefined {
  const read = body.safeParse(sent)
  if (!read.success) return z.prettifyError(read.error)
  const called = new Set<string>()
  const answered = new Set<string>()
  for (const one of read.data.input) {
    if (!('type' in one)) continue
    const { type, call_id: call } = one
    if (type === 'function_call' && called.has(call)) return `the call id ${call} is used again`
    if (type === 'function_call') called.add(call)
    else if (!called.has(call))
      return `no tool call found for function call output with call_id ${call}`
    else if (answered.has(call)) return `two outputs for ${call}`
    else answered.add(call)
  }
  const missing = [...called].filter((call) => !answered.has(call))
  return missing.length > 0
    ? `no tool output found for function call ${missing.join(', ')}`
    : undefined
}
