import { messageOf, trySync, type Json, type JsonObject } from '@amodal/sdk'
import { z } from 'zod'

const compiled = new WeakMap<JsonObject, z.ZodType | string>()

/** Why a value does not fit a JSON Schema, or why the schema cannot be used; otherwise nothing. */
export function misfitOf(schema: JsonObject, value: Json): string | undefined {
  const type = compiled.get(schema) ?? compile(schema)
  compiled.set(schema, type)
  if (typeof type === 'string') return `has a schema that cannot be used: ${type}`
  const read = type.safeParse(value)
  if (read.success) return undefined
  const [issue] = read.error.issues
  const place = issue && issue.path.length > 0 ? ` at ${issue.path.join('.')}` : ''
  return `does not fit its schema${place}: ${issue?.message ?? 'unknown'}`
}

function compile(schema: JsonObject): z.ZodType | string {
  const made = trySync(() => z.fromJSONSchema(schema), messageOf)
  return made.ok ? made.value : made.error
}
