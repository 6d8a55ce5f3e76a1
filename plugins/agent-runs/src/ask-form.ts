import { defineTool, trySync, type JsonObject } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'

const input = z.object({
  message: z.string().min(1).max(5_000).describe('What the person is asked, in full'),
  schema: z
    .record(z.string(), jsonValue)
    .describe(
      'JSON Schema of the answer: an object whose properties are the fields of the form, each with a `title` and a `description`',
    ),
})

/** Suspends the run until a person has filled in a form; the answer is the result of the call. */
export const askForm = defineTool({
  name: 'ask_form',
  description:
    'Asks the person for several values at once, as a form, and waits for them. Use it only when you cannot go on without them.',
  readOnly: true,
  runningLabel: 'Waiting for a form',
  completedLabel: 'Answered',
  input,
  execute: async ({ message, schema }) => {
    const problem = problemOf(schema)
    if (problem !== undefined) return { status: 'error', message: problem }
    return {
      status: 'asks',
      question: { type: 'question', schema, context: { question: message, form: true } },
    }
  },
})

/** Why nothing could be filled in with this schema. */
function problemOf(schema: JsonObject): string | undefined {
  const { type, properties } = schema
  if (type !== 'object' || typeof properties !== 'object' || properties === null)
    return 'schema: must be `{"type": "object", "properties": {…}}`'
  const read = trySync(
    () => z.fromJSONSchema(schema),
    (cause) => (cause instanceof Error ? cause.message : 'it cannot be read'),
  )
  return read.ok ? undefined : `schema: ${read.error}`
}
