import { err, ok, StoreBackend, type AgentBundle, type Json, type JsonObject, type StoreDefinition, type StoreDocument, type ToolContext, type ToolDefinition, type ToolResult, defineTool } from '@amodal/sdk'
import { z } from 'zod'
import { readQuery } from './query.ts'
import type { Seeds } from './seed.ts'
import { keyOf, misfits, schemaOf, toolName } from './shape.ts'

export interface ToolLimits { readonly maxResults: number; readonly maxBatch: number }

/** `query_store`, and for each store `store_x` and `store_x_batch`. */
export function toolsOf(bundle: AgentBundle, limits: ToolLimits, seeds: Seeds): readonly ToolDefinition[] {
  if (bundle.stores.length === 0) return []
  return [queryStore(bundle.stores, limits, seeds), ...bundle.stores.flatMap((store) => [put(store, seeds), batch(store, limits, seeds)])]
}

/** Second names from older agent folders: `write_x`, `x_batch`. */
export function aliasesOf(bundle: AgentBundle): Readonly<Record<string, string>> {
  return Object.fromEntries(bundle.stores.flatMap((store) => {
    const name = store.name.replaceAll('-', '_')
    return [[`write_${name}`, toolName(store)], [`${name}_batch`, `${toolName(store)}_batch`]]
  }))
}

const shown = (document: StoreDocument): JsonObject => ({ key: document.key, version: document.version, ...document.payload, ...(document.stale ? { _stale: true } : {}) })

function queryStore(stores: readonly StoreDefinition[], limits: ToolLimits, seeds: Seeds): ToolDefinition {
  const about = stores.map((store) => `${store.name} (${store.entity.name}: ${Object.keys(store.entity.schema).join(', ')})`).join('; ')
  return defineTool({
    name: 'query_store',
    description: `Reads documents of a store: one by its key, or a list with filters. Stores: ${about}.`,
    readOnly: true, runningLabel: 'Reading the store', completedLabel: 'Read the store',
    input: z.object({
      store: z.enum(stores.map(({ name }) => name)).describe('Which store'),
      key: z.string().optional().describe('Key of one document'),
      filter: z.record(z.string(), z.json()).optional().describe('Field to value, or field to {"gte": 5}; operators: eq, ne, gt, gte, lt, lte, in, contains'),
      sort: z.string().optional().describe('Field to sort by, with - in front for descending'),
      limit: z.number().int().min(1).max(limits.maxResults).optional().describe('How many, 20 where it is not given'),
      offset: z.number().int().min(0).optional().describe('How many to skip'),
    }),
    execute: async ({ store: name, key, ...asked }, ctx) => {
      const store = stores.find((one) => one.name === name)
      if (!store) return { status: 'error', message: `There is no store "${name}".` }
      const backend = await opened(store, seeds, ctx)
      if ('status' in backend) return backend
      if (key !== undefined) {
        const found = await backend.get(store, key, ctx.signal)
        if (!found.ok) return { status: 'error', code: found.error.code, message: found.error.message }
        return { status: 'success', output: found.value ? shown(found.value) : { found: false, store: name, key } }
      }
      const query = readQuery(store, asked, limits.maxResults)
      if (!query.ok) return { status: 'error', message: query.error }
      const found = await backend.query(store, query.value, ctx.signal)
      if (!found.ok) return { status: 'error', code: found.error.code, message: found.error.message }
      const { documents, total } = found.value
      return { status: 'success', output: { store: name, total, documents: documents.map(shown), has_more: query.value.offset + documents.length < total } }
    },
  })
}

function put(store: StoreDefinition, seeds: Seeds): ToolDefinition {
  return {
    name: toolName(store),
    description: `Stores one ${store.entity.name} in ${store.name}; a document with the same key (${store.entity.key}) is replaced.${store.description === undefined ? '' : ` ${store.description}`}`,
    parameters: schemaOf(store), readOnly: false, keyed: true, runningLabel: `Writing to ${store.name}`, completedLabel: `Wrote to ${store.name}`,
    parse: (args) => checked(store, args),
    execute: async (args, ctx) => {
      const backend = await opened(store, seeds, ctx)
      if ('status' in backend) return backend
      return writeOne(store, args, backend, ctx)
    },
  }
}

async function writeOne(store: StoreDefinition, payload: JsonObject, backend: StoreBackend, ctx: ToolContext): Promise<ToolResult> {
  const written = await backend.write(store, [{ key: keyOf(store, payload) ?? '', payload }], { atomic: true, callKey: ctx.key }, ctx.signal)
  if (!written.ok) return { status: 'error', code: written.error.code, message: written.error.message }
  const [first] = written.value
  if (!first?.stored) return { status: 'error', message: first?.error ?? 'nothing was stored' }
  return { status: 'success', output: { stored: true, key: first.key, version: first.version, ...(first.previousVersion === undefined ? {} : { previousVersion: first.previousVersion }) } }
}

function batch(store: StoreDefinition, limits: ToolLimits, seeds: Seeds): ToolDefinition {
  const mode = store.failure?.mode ?? 'partial'
  return {
    name: `${toolName(store)}_batch`,
    description: `Stores up to ${limits.maxBatch} documents in ${store.name} at once. ${mode === 'all-or-nothing' ? 'All of them or none.' : 'Those that do not fit are named, the others are stored.'}`,
    parameters: { type: 'object', properties: { items: { type: 'array', items: schemaOf(store), minItems: 1, maxItems: limits.maxBatch } }, required: ['items'], additionalProperties: false },
    readOnly: false, keyed: true, runningLabel: `Writing to ${store.name}`, completedLabel: `Wrote to ${store.name}`,
    parse: (args) => {
      const items = args['items']
      if (!Array.isArray(items) || items.length === 0) return err('items: must be a list with at least one document')
      return items.length > limits.maxBatch ? err(`items: at most ${limits.maxBatch} documents`) : ok(args)
    },
    execute: async (args, ctx) => {
      const backend = await opened(store, seeds, ctx)
      if ('status' in backend) return backend
      return writeAll(store, listOf(args['items']), mode, backend, ctx)
    },
  }
}

async function writeAll(store: StoreDefinition, items: readonly Json[], mode: 'partial' | 'all-or-nothing' | 'skip', backend: StoreBackend, ctx: ToolContext): Promise<ToolResult> {
  const writes: { readonly key: string; readonly payload: JsonObject }[] = []
  const failed: JsonObject[] = []
  items.forEach((item, index) => {
    const fits = isObject(item) ? checked(store, item) : err('must be an object')
    if (fits.ok) writes.push({ key: keyOf(store, fits.value) ?? '', payload: fits.value })
    else failed.push({ index, error: fits.error })
  })
  if (failed.length > 0 && mode === 'all-or-nothing') return { status: 'error', message: `Nothing was stored: ${failed.map((one) => `items[${String(one['index'])}] ${String(one['error'])}`).join('; ')}` }
  const written = await backend.write(store, writes, { atomic: mode === 'all-or-nothing', callKey: ctx.key }, ctx.signal)
  if (!written.ok) return { status: 'error', code: written.error.code, message: written.error.message }
  for (const one of written.value) if (!one.stored) failed.push({ key: one.key, error: one.error })
  const stored = written.value.filter((one) => one.stored)
  return { status: 'success', output: { stored: stored.length, keys: stored.map(({ key }) => key), ...(mode === 'skip' || failed.length === 0 ? {} : { failed }) } }
}

function checked(store: StoreDefinition, payload: JsonObject) {
  const problems = misfits(store, payload)
  if (problems.length > 0) return err(problems.join('; '))
  return keyOf(store, payload) === undefined ? err(`the key ${store.entity.key} cannot be made: one of its fields is empty`) : ok(payload)
}

async function opened(store: StoreDefinition, seeds: Seeds, ctx: ToolContext): Promise<StoreBackend | ToolResult> {
  const backend = ctx.scope.get(StoreBackend)
  const ready = await seeds.ensure(backend, store, ctx.signal)
  return ready.ok ? backend : { status: 'error', code: ready.error.code, message: ready.error.message }
}

const isObject = (value: Json): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value.map((item: Json) => item) : [])
