import { createRequire } from 'node:module'
import { err, messageOf, trySync, type Failure, type JsonObject, type Result } from '@amodal/kernel'
import { failure } from './errors.ts'
import { z } from 'zod'
import type * as Zod3 from 'zod-to-json-schema'

type Node = Readonly<Record<string, unknown>>

/**
 * Makes the JSON Schema that a model is shown for a tool's parameters: from Zod 4, from Zod 3
 * (another copy of the library in a plugin's own dependencies), or from JSON Schema, which is taken
 * as it stands. Objects from Zod get `additionalProperties: false` unless the schema says
 * otherwise.
 *
 * @returns the schema; `TOOL_SCHEMA` where it describes no object or cannot be written as JSON
 *   Schema, because an empty schema would let the model send anything
 * @example
 * const parameters = toolSchema(z.object({ city: z.string().describe('such as Lisbon') }))
 * @see https://json-schema.org/draft/2020-12
 */
export function toolSchema(schema: object): Result<JsonObject, Failure> {
  const converted = trySync(
    () => convert(schema),
    (cause) =>
      failure(
        'TOOL_SCHEMA',
        `the parameters cannot be written as JSON Schema: ${messageOf(cause)}`,
        { cause },
      ),
  )
  if (!converted.ok) return converted
  const { $schema: _, ...shape } = converted.value
  if (shape['type'] !== 'object')
    return err(
      failure(
        'TOOL_SCHEMA',
        `the parameters describe ${'type' in shape ? `a ${String(shape['type'])}` : 'nothing'}, where an object is needed`,
      ),
    )
  return jsonOf(shape)
}

function convert(schema: object): Node {
  if (schema instanceof z.ZodType || '_zod' in schema)
    return closed(z.toJSONSchema(schema as z.ZodType, { io: 'input' }))
  if ('_def' in schema)
    return closed(
      zod3().zodToJsonSchema(schema as Parameters<typeof Zod3.zodToJsonSchema>[0], {
        $refStrategy: 'none',
      }),
    )
  return Object.fromEntries(Object.entries(schema))
}

/**
 * Loaded by the first schema that needs it: most agents have none, and a start need not wait for
 * its forty files.
 */
const zod3 = (): typeof Zod3 => createRequire(import.meta.url)('zod-to-json-schema') as typeof Zod3

/** A schema is sent as JSON, so whatever is none is found here and not on the wire. */
function jsonOf(shape: Node): Result<JsonObject, Failure> {
  return trySync(
    () => JSON.parse(JSON.stringify(shape)) as JsonObject,
    (cause) => failure('TOOL_SCHEMA', `the parameters are no JSON: ${messageOf(cause)}`, { cause }),
  )
}

/** Not inside `allOf`, whose parts would shut each other out. */
function closed(node: Node): Node {
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => {
    if (key === 'properties' || key === '$defs' || key === 'definitions')
      return [key, isNode(value) ? mapValues(value) : value]
    if (key === 'items' || key === 'additionalProperties')
      return [key, isNode(value) ? closed(value) : value]
    if (key === 'anyOf' || key === 'oneOf')
      return [
        key,
        Array.isArray(value)
          ? value.map((item: unknown) => (isNode(item) ? closed(item) : item))
          : value,
      ]
    return [key, value]
  })
  const open =
    node['type'] === 'object' && 'properties' in node && !('additionalProperties' in node)
  return Object.fromEntries(open ? [...entries, ['additionalProperties', false]] : entries)
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const mapValues = (node: Node): Node =>
  Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, isNode(value) ? closed(value) : value]),
  )
