import type { JsonObject } from '@amodal/sdk'
import { editorSchema } from '@amodal/sdk/files'
import { z } from 'zod'
import { MCP_FIELDS, mcpSpecShape } from '../mcp-spec.ts'
import { AUTH_FIELDS, REST_FIELDS, restSpecShape } from '../rest-spec.ts'

/** `connections/*\/spec.json` for editors: an MCP server where it says so, else an HTTP API. */
export function specSchema(): JsonObject {
  const title = 'What a connection reaches'
  const protocol = z.string().exactOptional()
  const rest = editorSchema(restSpecShape, {
    title,
    properties: { ...anyOf(REST_FIELDS, restSpecShape), auth: authSchema() },
  })
  const mcp = editorSchema(mcpSpecShape, { title, properties: anyOf(MCP_FIELDS, mcpSpecShape) })
  return {
    ...editorSchema(z.looseObject({ protocol }), { title }),
    additionalProperties: true,
    if: { properties: { protocol: { const: 'mcp' } }, required: ['protocol'] },
    then: mcp,
    else: rest,
  }
}

/** Fields that are read beside the shape take any value. */
const anyOf = (
  fields: readonly string[],
  shape: z.ZodObject,
): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(
    fields.filter((name) => !Object.hasOwn(shape.shape, name)).map((name) => [name, {}]),
  )

/** Each kind of credential has fields of its own; older spellings of them are read as well. */
const authSchema = (): JsonObject => ({
  type: 'object',
  properties: { type: { enum: Object.keys(AUTH_FIELDS) } },
  allOf: Object.entries(AUTH_FIELDS).map(([type, fields]) => ({
    if: { properties: { type: { const: type } }, required: ['type'] },
    then: { propertyNames: { enum: [...fields] } },
  })),
})
