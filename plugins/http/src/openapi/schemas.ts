import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { z } from 'zod'

const REF = '#/$defs/'

/**
 * Converts zod schemas to JSON Schema (2020-12, as OpenAPI 3.1 has it). A schema with
 * `.meta({ id })` becomes a shared one under `components.schemas`.
 */
export class Schemas {
  readonly #shared = new Map<string, JsonObject>()

  /** The shared schemas so far, by name. */
  shared(): JsonObject {
    const sorted = [...this.#shared].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(sorted)
  }

  /** Adds a shared schema, and returns a reference to it. */
  share(name: string, schema: JsonObject): JsonObject {
    this.#shared.set(name, schema)
    return { $ref: `#/components/schemas/${name}` }
  }

  /** What a client sends or receives: defaults and unknown fields are optional. */
  of(schema: z.ZodType): JsonObject {
    const jsonSchema = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    // an own copy, without functions
    const plain = JSON.parse(JSON.stringify(jsonSchema)) as JsonObject
    const { $schema: _dialect, $defs = {}, id, ...shape } = plain
    if (isObject($defs))
      for (const [name, definition] of Object.entries($defs))
        if (!isUnnamed(name) && isObject(definition)) this.#add(name, definition)
    return typeof id === 'string' ? this.#add(id, shape) : placed(shape)
  }

  #add(name: string, definition: JsonObject): JsonObject {
    const { id: _id, ...shape } = definition
    return this.share(name, placed(shape))
  }
}

/** zod numbers a recursive schema without a name: here, any JSON. */
const isUnnamed = (name: string): boolean => name.startsWith('__')

/** The schema with references into the document. A recursive one without a name takes any JSON. */
function placed(schema: JsonObject): JsonObject {
  const { $ref: ref, ...rest } = schema
  const fields = Object.entries(typeof ref === 'string' ? rest : schema)
  const shape = Object.fromEntries(fields.map(([key, value]) => [key, placedIn(value)]))
  if (typeof ref !== 'string') return shape
  const name = ref.startsWith(REF) ? ref.slice(REF.length) : '__root'
  return isUnnamed(name) ? shape : { ...shape, $ref: `#/components/schemas/${name}` }
}

function placedIn(schema: Json): Json {
  if (isList(schema)) return schema.map(placedIn)
  return isObject(schema) ? placed(schema) : schema
}
