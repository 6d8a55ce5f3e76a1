import { err, isExact, ok, unwrap, type Json, type JsonObject } from '@amodal/kernel'
import { parseExact } from './data/exact-number.ts'
import { isList, isObject, withRoundedFractions } from './json.ts'
import type { ToolContext, ToolDefinition, ToolResult } from './ports/tool.ts'
import type { z } from 'zod'
import { toolSchema } from './tool-schema.ts'

export interface ToolShape<S extends z.ZodObject> extends Omit<
  ToolDefinition,
  'parameters' | 'parse' | 'execute'
> {
  /** What the model fills in; a `describe` on each field is worth more than a long description. */
  readonly input: S
  /** `args` are those that `input` accepted; a throw becomes an error the model can react to. */
  readonly execute: (args: z.output<S>, ctx: ToolContext) => Promise<ToolResult>
}

/**
 * Makes a tool from a Zod schema: what the model is shown and what is checked cannot drift apart.
 *
 * @throws where the schema says nothing a model could fill in (`TOOL_SCHEMA`): a mistake of the
 *   author, found at start
 * @example
 * const add = defineTool({
 *   name: 'add', description: 'Adds two numbers.', readOnly: true,
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   execute: async ({ a, b }) => ({ status: 'success', output: a + b }),
 * })
 */
export function defineTool<S extends z.ZodObject>({
  input,
  execute,
  ...tool
}: ToolShape<S>): ToolDefinition {
  return Object.freeze({
    ...tool,
    parameters: unwrap(toolSchema(input), ({ message }) => `tool "${tool.name}": ${message}`),
    parse: (args: JsonObject) => {
      const exact = input.safeParse(args)
      // `z.number()` knows doubles only
      const parsed = exact.success ? exact : input.safeParse(withRoundedFractions(args))
      if (!parsed.success)
        return err(parsed.error.issues.map((one) => problem(one, args)).join('; '))
      // The arguments that are stored, hashed and approved are JSON: they make one round trip
      // through JSON before any other code reads them.
      return ok(parseExact(JSON.stringify(parsed.data)) as JsonObject)
    },
    execute: (args: JsonObject, ctx: ToolContext) => execute(input.parse(args), ctx),
  })
}

function problem({ path, message }: z.core.$ZodIssue, args: JsonObject): string {
  const at = path.join('.') || 'arguments'
  let value: Json | undefined = args
  for (const step of path) value = stepInto(value, step)
  return isExact(value)
    ? `${at}: ${value.digits} has more digits than a number keeps here; pass it as text where the parameter takes text`
    : `${at}: ${message}`
}

function stepInto(value: Json | undefined, step: PropertyKey): Json | undefined {
  if (isList(value)) return value[Number(step)]
  return isObject(value) ? value[String(step)] : undefined
}
