import {
  defineTool,
  err,
  isObject,
  ok,
  type AgentBundle,
  type Failure,
  type JsonObject,
  type Result,
  type StoreDefinition,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'
import { isStorable, jsonValue } from '@amodal/sdk/data'
import { grantedStoreTool, keyOf, type StoreVerb } from '@amodal/sdk/stores'
import { grantedStores } from '@amodal/plugin-subagents/tokens'
import { z } from 'zod'
import type { Documents } from './documents.ts'
import { readQuery } from './query.ts'
import { misfits, schemaOf } from './shape.ts'
import { put, remove, type ToolLimits } from './tools.ts'

/** Stores that agents were granted by name, each with tools such as `store__beds__get`. */
export function grantedTools(
  bundle: AgentBundle,
  limits: ToolLimits,
  documents: Documents,
): readonly ToolDefinition[] {
  const modes = grantedStores(bundle)
  return bundle.stores.flatMap((store) => {
    const mode = modes.get(store.name)
    if (mode === undefined) return []
    const reading = [
      getOne(store, documents),
      find(store, 'query', limits, documents),
      find(store, 'list', limits, documents),
    ]
    if (mode === 'read' || !documents.isWritable(store)) return reading
    const removing = store.deletable === true ? [removeOne(store, documents)] : []
    return [...reading, setOne(store, documents), ...removing]
  })
}

const failed = ({ code, message }: Failure): ToolResult => ({ status: 'error', code, message })
const resultOf = (done: Result<ToolResult, Failure>): ToolResult =>
  done.ok ? done.value : failed(done.error)

function getOne(store: StoreDefinition, documents: Documents): ToolDefinition {
  return defineTool({
    name: grantedStoreTool(store.name, 'get'),
    description: `Returns one ${store.entity.name} of ${store.name} by its key.`,
    readOnly: true,
    input: z.object({ key: z.string().describe(`Key of the document: ${store.entity.key}`) }),
    execute: async ({ key }, ctx) =>
      resultOf(
        await documents.inCall(store, ctx, async (backend): Promise<ToolResult> => {
          const found = isStorable(key) ? await backend.get(store, key, ctx.signal) : ok(undefined)
          if (!found.ok) return failed(found.error)
          return { status: 'success', output: found.value?.payload ?? { error: 'not found' } }
        }),
      ),
  })
}

function find(
  store: StoreDefinition,
  verb: Extract<StoreVerb, 'query' | 'list'>,
  { maxResults }: ToolLimits,
  documents: Documents,
): ToolDefinition {
  const limit = z.int().min(1).max(maxResults).optional().describe('How many, default: 20')
  const fields = Object.keys(store.entity.schema).join(', ')
  const where = z
    .record(z.string(), jsonValue)
    .optional()
    .describe(`Values that fields must have; fields: ${fields}`)
  return defineTool({
    name: grantedStoreTool(store.name, verb),
    description:
      verb === 'query'
        ? `Finds documents of ${store.name} whose fields have these values.`
        : `Lists documents of ${store.name}.`,
    readOnly: true,
    input: verb === 'query' ? z.object({ where, limit }) : z.object({ limit }),
    execute: async (input: { where?: JsonObject | undefined; limit?: number | undefined }, ctx) => {
      const filter = equalTo(input.where ?? {})
      const query = readQuery(store, { filter, limit: input.limit }, maxResults)
      if (!query.ok) return { status: 'error', code: 'TOOL_ARGUMENTS', message: query.error }
      return resultOf(
        await documents.inCall(store, ctx, async (backend): Promise<ToolResult> => {
          const found = await backend.query(store, query.value, ctx.signal)
          if (!found.ok) return failed(found.error)
          const { documents: page, total } = found.value
          const shown = page.map(({ key, version, payload }) => ({ key, version, payload }))
          return {
            status: 'success',
            output: { documents: shown, total, hasMore: page.length < total },
          }
        }),
      )
    },
  })
}

/** Values are compared as they are: an object is no operator here. */
const equalTo = (where: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(where).map(([field, value]) => [field, { eq: value }]))

function setOne(store: StoreDefinition, documents: Documents): ToolDefinition {
  const one = put(store, documents)
  return {
    ...one,
    name: grantedStoreTool(store.name, 'set'),
    description: `Stores one ${store.entity.name} in ${store.name}, in place of the whole document with this key (${store.entity.key}).`,
    parameters: {
      type: 'object',
      properties: { key: { type: 'string' }, value: schemaOf(store) },
      required: ['key', 'value'],
      additionalProperties: false,
    },
    parse: (args) => {
      const value = documentIn(store, args)
      return value.ok ? ok(args) : value
    },
    execute: async (args, ctx) => {
      const value = documentIn(store, args)
      return value.ok
        ? one.execute(value.value, ctx)
        : { status: 'error', code: 'TOOL_ARGUMENTS', message: value.error }
    },
  }
}

/** The document to store, whose key must be the one given. */
function documentIn(
  store: StoreDefinition,
  { key = null, value = null, ...others }: JsonObject,
): Result<JsonObject, string> {
  const [other] = Object.keys(others)
  if (other !== undefined) return err(`${other}: is no parameter; there are key and value`)
  if (!isObject(value)) return err('value: must be the whole document')
  const problems = misfits(store, value)
  if (problems.length > 0) return err(problems.map((text) => `value.${text}`).join('; '))
  const own = keyOf(store, value) ?? null
  return key === own ? ok(value) : err(`key: must be ${JSON.stringify(own)}, the key of the value`)
}

function removeOne(store: StoreDefinition, documents: Documents): ToolDefinition {
  const any = remove([store], documents)
  return {
    ...any,
    name: grantedStoreTool(store.name, 'remove'),
    description: `Removes one ${store.entity.name} of ${store.name}. It cannot be brought back.`,
    parameters: {
      type: 'object',
      properties: { key: { type: 'string' } },
      required: ['key'],
      additionalProperties: false,
    },
    parse: ({ key = null }) => (typeof key === 'string' ? ok({ key }) : err('key: must be a text')),
    execute: ({ key = null }, ctx) => any.execute({ store: store.name, key }, ctx),
  }
}
