import { err, ok, type JsonObject, type ToolDefinition } from '@amodal/sdk'
import { z } from 'zod'

/** The tool by which a run hands in what its profile's result schema asks for. */
export const SUBMIT_RESULT = 'submit_result'

/**
 * The tool for one result schema. A result that fits ends the run; one that does not goes back to
 * the model with what is wrong.
 *
 * @param schema JSON Schema of the result
 */
export function submitResult(schema: JsonObject): ToolDefinition {
  const result = z.fromJSONSchema(schema)
  return Object.freeze({
    name: SUBMIT_RESULT,
    description:
      'Hands in the result of this task and ends it. Call it once, when the work is done; the result must fit its schema.',
    readOnly: true,
    parameters: {
      type: 'object',
      properties: {
        result: schema,
        summary: { type: 'string', description: 'What was done, in one or two sentences' },
      },
      required: ['result'],
      additionalProperties: false,
    },
    parse: (args: JsonObject) => {
      const checked = result.safeParse(args['result'])
      if (checked.success) return ok(args)
      return err(
        checked.error.issues
          .slice(0, 10)
          .map(({ path, message }) => `${['result', ...path.map(String)].join('.')}: ${message}`)
          .join('; '),
      )
    },
    execute: async ({ result: handedIn = null, summary = null }: JsonObject) => ({
      status: 'success' as const,
      output: { status: 'accepted', result: handedIn, ...(summary !== null && { summary }) },
      ends: true,
    }),
  })
}
