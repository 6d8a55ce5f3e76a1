import { isObject, type Json, type JsonObject } from '@amodal/sdk'
import { editorSchema, MANIFEST_FILES } from '@amodal/sdk/files'
import { limitsSchema } from '../limits.ts'
import { MANIFEST_FIELDS, manifestShape } from '../manifest.ts'
import { blocksShape } from '../manifest-blocks.ts'
import { storeShape } from '../store-shape.ts'
import type { FileSchema } from '../tokens.ts'

/** The schemas of the files that this plugin reads. */
export const ownSchemas: Readonly<Record<string, FileSchema>> = {
  manifest: { files: MANIFEST_FILES, schema: manifestSchema },
  store: {
    // not those of a store's first documents
    files: ['stores/*.json', '!stores/*.seed.json'],
    schema: storeSchema,
  },
}

/** What a field needs beside its type. */
const NEEDED = { enum: 'values', array: 'item', object: 'fields', ref: 'store' } as const

/** A store; `checkFields` says the same of fields, for whoever starts the agent. */
function storeSchema(): JsonObject {
  const schema = editorSchema(storeShape, { title: 'A store of documents of one shape' })
  const definitions: Record<string, Json> = {}
  for (const [name, field] of Object.entries(partOf(schema, 'definitions')))
    definitions[name] = isObject(field) ? { ...field, allOf: conditions() } : field
  return { ...schema, definitions }
}

const conditions = (): readonly JsonObject[] =>
  Object.entries(NEEDED).map(([type, name]) => ({
    if: { properties: { type: { const: type } }, required: ['type'] },
    then: { required: [name] },
  }))

const text = { type: 'string' }

/** The manifest; what plugins read of it is as they take it. */
function manifestSchema(): JsonObject {
  const own = editorSchema(manifestShape, { title: 'The manifest of an agent' })
  const properties = partOf(own, 'properties')
  const limits = limitsSchema()
  const blocks = partOf(editorSchema(blocksShape, { title: '' }), 'properties')
  return {
    ...own,
    properties: {
      ...Object.fromEntries(MANIFEST_FIELDS.map((name) => [name, {}])),
      ...blocks,
      ...properties,
      models: withShortForms(properties['models']),
      limits,
      ...partOf(limits, 'properties'),
      provider: { ...text, description: 'Short for `models.main.provider`' },
      model: { description: 'Short for `models.main`: a model, or its name' },
      baseUrl: { ...text, description: 'Short for `models.main.baseUrl`' },
      preset: { enum: ['dev', 'production', 'embedded'] },
      plugins: {
        type: 'array',
        items: { type: ['string', 'object', 'array'] },
        description: 'Plugins to add, configure or leave out',
      },
      packages: {
        type: 'array',
        items: {
          anyOf: [
            text,
            {
              type: 'object',
              properties: { package: text, use: { type: 'array', items: text } },
              required: ['package'],
              additionalProperties: false,
            },
          ],
        },
        description: 'Packages of parts, which `amodal pkg install` adds',
      },
    },
  }
}

/** A model may be its name alone. */
function withShortForms(models: Json | undefined): JsonObject {
  const tiers: Record<string, Json> = {}
  for (const [tier, schema] of Object.entries(partOf(models, 'properties')))
    if (schema !== undefined) tiers[tier] = { anyOf: [text, schema] }
  return { ...(isObject(models) ? models : {}), properties: tiers }
}

function partOf(schema: Json | undefined, name: string): JsonObject {
  const part = isObject(schema) ? schema[name] : undefined
  return isObject(part) ? part : {}
}
