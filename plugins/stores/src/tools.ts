import {
  type AgentBundle, defineTool, err, type Failure, isList, isObject, type Json, type JsonObject, ok, type Result,
  type StoreBackend, type StoreDefinition, type StoreDocument, type StoreWrite, type ToolDefinition, type ToolResult,
} from '@amodal/sdk'
import { z } from 'zod'
import type { Documents } from './documents.ts'
import { readQuery } from './query.ts'
import { isStorable, keyOf, misfits, schemaOf, toolName } from './shape.ts'

export interface ToolLimits { readonly maxResults: number; readonly maxBatch: number }
type FailureMode = NonNullable<StoreDefinition['failure']>['mode']

/** `query_store`, and for each store `store_x` and `store_x_batch`. */
export function toolsOf(bundle: AgentBundle, limits: ToolLimits, documents: Documents): readonly ToolDefinition[] {
  if (bundle.stores.length === 0) return []
  const writable = bundle.stores.filter((store) => documents.isWritable(store))
  return [queryStore(bundle.stores, limits, documents), ...writable.flatMap((store) => [put(store, documents), batch(store, limits, documents)])]
}

/** Second names from older agent folders: `write_x`, `x_batch`. */
export function aliasesOf(bundle: AgentBundle, documents: Documents): Readonly<Record<string, string>> {
  return Object.fromEntries(bundle.stores.filter((store) => documents.isWritable(store)).flatMap((store) => {
    const name = store.name.replaceAll('-', '_')
    return [[`write_${name}`, toolName(store)], [`${name}_batch`, `${toolName(store)}_batch`]]
  }))
}

const shown = (document: StoreDocument): JsonObject => ({ key: document.key, version: document.version, ...document.payload, ...(document.stale && { _stale: true }) })
const failed = ({ code, message }: Failure): ToolResult => ({ status: 'error', code, message })

function queryStore(stores: readonly StoreDefinition[], limits: ToolLimits, documents: Documents): ToolDefinition {
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
      limit: z.int().min(1).max(limits.maxResults).optional().describe('How many, 20 where it is not given'),
      offset: z.int().min(0).optional().describe('How many to skip'),
    }),
    execute: async ({ store: name, key, ...asked }, ctx) => {
      const store = stores.find((one) => one.name === name)
      if (!store) return { status: 'error', message: `There is no store "${name}".` }
      return told(await documents.inCall(store, ctx, async (backend): Promise<ToolResult> => {
        if (key !== undefined) {
          const found = isStorable(key) ? await backend.get(store, key, ctx.signal) : ok(undefined)
          if (!found.ok) return failed(found.error)
          return { status: 'success', output: found.value ? shown(found.value) : { found: false, store: name, key } }
        }
        const query = readQuery(store, asked, limits.maxResults)
        if (!query.ok) return { status: 'error', code: 'TOOL_ARGUMENTS', message: query.error }
        const found = await backend.query(store, query.value, ctx.signal)
        if (!found.ok) return failed(found.error)
        const { documents: page, total } = found.value
        return { status: 'success', output: { store: name, total, documents: page.map(shown), has_more: query.value.offset + page.length < total } }
      }))
    },
  })
}

function put(store: StoreDefinition, documents: Documents): ToolDefinition {
  return {
    name: toolName(store),
    description: `Stores one ${store.entity.name} in ${store.name}; a document with the same key (${store.entity.key}) is replaced.${store.description === undefined ? '' : ` ${store.description}`}`,
    parameters: schemaOf(store), readOnly: false, keyed: true, runningLabel: `Writing to ${store.name}`, completedLabel: `Wrote to ${store.name}`,
    parse: (args) => {
      const problems = misfits(store, args)
      return problems.length > 0 ? err(problems.join('; ')) : ok(args)
    },
    execute: async (args, ctx) => {
      if (!documents.mayWrite(store, ctx.roles)) return notTheirs(store)
      return told(await documents.inCall(store, ctx, async (backend): Promise<ToolResult> => {
        const options = { atomic: true, callKey: documents.callKey(store, ctx.tenant, ctx.key) }
        const written = await backend.write(store, [{ key: keyOf(store, args) ?? '', payload: args }], options, ctx.signal)
        if (!written.ok) return failed(written.error)
        const [first] = written.value
        if (!first?.stored) return { status: 'error', message: first?.error ?? 'nothing was stored' }
        const { key, version, previousVersion } = first
        return { status: 'success', output: { stored: true, key, version, ...(previousVersion !== undefined && { previousVersion }) } }
      }))
    },
  }
}

function batch(store: StoreDefinition, limits: ToolLimits, documents: Documents): ToolDefinition {
  const mode = store.failure?.mode ?? 'partial'
  return {
    name: `${toolName(store)}_batch`,
    description: `Stores up to ${limits.maxBatch} documents in ${store.name} at once. ${ABOUT_MODE[mode]}`,
    parameters: { type: 'object', properties: { items: { type: 'array', items: schemaOf(store), minItems: 1, maxItems: limits.maxBatch } }, required: ['items'], additionalProperties: false },
    readOnly: false, keyed: true, runningLabel: `Writing to ${store.name}`, completedLabel: `Wrote to ${store.name}`,
    parse: (args) => {
      const { items, ...others } = args
      const [other] = Object.keys(others)
      if (other !== undefined) return err(`${other}: is no parameter; put the documents into items`)
      if (!isList(items) || items.length === 0) return err('items: must be a list with at least one document')
      return items.length > limits.maxBatch ? err(`items: at most ${limits.maxBatch} documents at once, and there are ${items.length}`) : ok(args)
    },
    execute: async (args, ctx) => {
      if (!documents.mayWrite(store, ctx.roles)) return notTheirs(store)
      const items = isList(args['items']) ? args['items'] : []
      const callKey = documents.callKey(store, ctx.tenant, ctx.key)
      return told(await documents.inCall(store, ctx, (backend) => writeAll(store, items, { mode, callKey }, backend, ctx.signal)))
    },
  }
}

const ABOUT_MODE: Readonly<Record<FailureMode, string>> = {
  partial: 'Those that do not fit are named, the others are stored.',
  skip: 'Those that do not fit are left out, the others are stored.',
  'all-or-nothing': 'All of them or none.',
}

/** A document of a batch that was not stored: by its place where it does not fit, by its key where the store refused it. */
type Refused = { readonly index: number; readonly error: string } | { readonly key: string; readonly error: string }

interface HowToWrite { readonly mode: FailureMode; readonly callKey: string }

async function writeAll(store: StoreDefinition, items: readonly Json[], { mode, callKey }: HowToWrite, backend: StoreBackend, signal: AbortSignal): Promise<ToolResult> {
  const writes: StoreWrite[] = []
  const refused: Refused[] = []
  items.forEach((item, index) => {
    const problems = isObject(item) ? misfits(store, item) : ['must be an object']
    if (isObject(item) && problems.length === 0) writes.push({ key: keyOf(store, item) ?? '', payload: item })
    else refused.push({ index, error: problems.join('; ') })
  })
  if (refused.length > 0 && mode === 'all-or-nothing') return nothingStored(refused)
  const written = await backend.write(store, writes, { atomic: mode === 'all-or-nothing', callKey }, signal)
  if (!written.ok) return failed(written.error)
  for (const one of written.value) if (!one.stored) refused.push({ key: one.key, error: one.error })
  const stored = written.value.filter((one) => one.stored)
  if (stored.length === 0 && mode !== 'skip') return nothingStored(refused)
  return { status: 'success', output: { stored: stored.length, keys: stored.map(({ key }) => key), ...(mode !== 'skip' && refused.length > 0 && { failed: refused }) } }
}

function nothingStored(refused: readonly Refused[]): ToolResult {
  const told = refused.map((one) => `${'index' in one ? `items[${one.index}]` : one.key} ${one.error}`)
  return { status: 'error', code: 'TOOL_ARGUMENTS', message: `Nothing was stored: ${told.join('; ')}` }
}

const told = (done: Result<ToolResult, Failure>): ToolResult => (done.ok ? done.value : failed(done.error))

const notTheirs = ({ name }: StoreDefinition): ToolResult =>
  ({ status: 'error', code: 'TOOL_DENIED', message: `The documents of "${name}" belong to everybody, and this person may only read them.` })
