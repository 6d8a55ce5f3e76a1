import { z } from 'zod'

const thought = {
  thoughtSignature: z.string().exactOptional(),
  thought: z.boolean().exactOptional(),
}
const text = z.strictObject({
  text: z.string().min(1, "required oneof field 'data' must have one initialized field"),
  ...thought,
})
const data = z.strictObject({
  inlineData: z.strictObject({ mimeType: z.string().regex(/^\w+\/[\w.+-]+$/), data: z.base64() }),
})
const struct = z.record(z.string(), z.unknown())
const name = z.string().regex(/^[\w.:-]{1,64}$/)
const call = z.strictObject({
  functionCall: z.strictObject({ id: z.string().exactOptional(), name, args: struct }),
  ...thought,
})
const response = z.strictObject({
  functionResponse: z.strictObject({ id: z.string().exactOptional(), name, response: struct }),
})
const content = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    parts: z.array(z.union([text, data, response])).min(1, 'contents.parts must not be empty'),
  }),
  z.strictObject({
    role: z.literal('model'),
    parts: z.array(z.union([text, call])).min(1, 'contents.parts must not be empty'),
  }),
])
const body = z.looseObject({
  contents: z.array(content).min(1),
  systemInstruction: z.strictObject({ parts: z.array(text).min(1) }).exactOptional(),
})

/**
 * What generateContent refuses of a body: a turn of calls stands behind a person's turn or a turn
 * of responses, the responses stand right behind it, as many as there are calls, in their order and
 * with their names.
 *
 * Source: the Gemini API reference, "generateContent" and "Content", and the guide "Function
 * calling".
 */
export function googleContent(sent: unknown): string | undefined {
  const read = body.safeParse(sent)
  if (!read.success) return z.prettifyError(read.error)
  const { contents } = read.data
  if (contents[0]?.role !== 'user') return 'the first content is not of the user'
  if (contents.at(-1)?.role !== 'user') return 'the last content is not of the user'
  let open: readonly string[] = []
  for (const [at, { role, parts }] of contents.entries()) {
    const answers = parts.flatMap((part) =>
      'functionResponse' in part ? [keyOf(part.functionResponse)] : [],
    )
    if (JSON.stringify(answers) !== JSON.stringify(open))
      return `content ${at} answers [${answers.join()}] where [${open.join()}] is asked for`
    open = parts.flatMap((part) => ('functionCall' in part ? [keyOf(part.functionCall)] : []))
    if (open.length > 0 && contents[at - 1]?.role !== 'user')
      return `content ${at}: a function call turn comes after a user turn or a function response turn`
    if (role === 'model' && contents[at - 1]?.role === 'model')
      return `contents ${at - 1} and ${at} are both of the model`
  }
  return open.length > 0 ? `it ends before the responses of ${open.join()}` : undefined
}

const keyOf = ({
  id = '',
  name: called,
}: {
  readonly id?: string
  readonly name: string
}): string => `${called} ${id}`
