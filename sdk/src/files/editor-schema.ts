import type { JsonObject } from '@amodal/kernel'
import { z } from 'zod'
import { jsonValue } from '../json-value.ts'

const jsonSchema = z.object({ properties: z.record(z.string(), jsonValue) }).catchall(jsonValue)

/** What a file may hold besides the fields of its shape. */
export interface EditorSchemaOptions {
  /** What the file is, in a line. */
  readonly title: string
  /** Schemas of further fields at the top, or other ones in place of those of the shape. */
  readonly properties?: Readonly<Record<string, JsonObject>>
}

/**
 * The JSON Schema (draft 7) by which editors complete and check a file: stricter than the reader,
 * which warns of unknown fields, since an editor is where a mistyped name is seen first.
 *
 * @param shape by which the file is read
 *
 * @example
 * editorSchema(z.object({ name: z.string() }), { title: 'A thing' })
 * // { $schema: …, title: 'A thing', type: 'object', properties: { $schema: …, name: … }, … }
 */
export function editorSchema(
  shape: z.ZodType,
  { title, properties = {} }: EditorSchemaOptions,
): JsonObject {
  const schema = z.toJSONSchema(shape, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.type === 'object' && Object.keys(jsonSchema.properties ?? {}).length > 0)
        jsonSchema.additionalProperties = false
    },
  })
  const plain = jsonSchema.parse(JSON.parse(JSON.stringify(schema)))
  return {
    ...plain,
    title,
    properties: { $schema: { type: 'string' }, ...plain.properties, ...properties },
  }
}
