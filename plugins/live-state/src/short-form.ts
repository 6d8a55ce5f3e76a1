import { isNumber } from '@amodal/sdk/data'
import type { Json, JsonObject } from '@amodal/sdk'

/**
 * The JSON Schema of a property that is declared by its first value alone.
 *
 * @example
 * schemaOfValue(0) // { type: 'integer' }
 */
export function schemaOfValue(value: Json): JsonObject {
  if (typeof value === 'string') return { type: 'string' }
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (Array.isArray(value)) return { type: 'array' }
  if (!isNumber(value)) return {}
  return { type: /^-?\d+$/.test(String(value)) ? 'integer' : 'number' }
}
