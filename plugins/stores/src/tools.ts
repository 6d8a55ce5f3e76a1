import {
  defineTool,
  err,
  failure,
  isList,
  ok,
  type AgentBundle,
  type Failure,
  type Json,
  type JsonObject,
  type Result,
  type StoreDefinition,
  type StoreDocument,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'
import { jsonValue, isStorable } from '@amodal/sdk/data'
import { z } from 'zod'
import type { Documents } from './documents.ts'
import { readQuery } from './query.ts'
import { batchName, misfits, schemaOf, toolName } from './shape.ts'
import { splitReasoning, traceOf, withReasoning } from './trace.ts'
import { writeDocuments, type Refused, type Written } from './writer.ts'

export interface ToolLimits {
  readonly maxResults: number
  readonly maxBatch: number
}
type FailureMode = NonNullable<StoreDefinition['failure']>['mode']

/** `query_store`, for each store `store_x` and `store_x_batch`, and `delete_from_store`. */
export function toolsOf(
  bundle: AgentBundle,
  limits: ToolLimits,
  documents: Documents,
): readonly ToolDefinition[] {
  if (bundle.stores.length === 0) return []
  const writable = bundle.stores.filter((store) => documents.isWritable(store))
  const deletable = writable.filter((store) => store.deletable !== false)
  return [
    queryStore(bundle.stores, limits, documents),
    ...writable.flatMap((store) => [put(store, documents), batch(store, limits, documents)]),
    ...(deletable.length > 0 ? [remove(deletable, documents)] : []),
  ]
}

/** Second names from older agent folders: `write_x`, `x_batch`. */
export function aliasesOf(
  bundle: AgentBundle,
  documents: Documents,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    bundle.stores
      .filter((store) => documents.isWritable(store))
      .flatMap((store) => {
        const name = store.name.replaceAll('-', '_')
        return [
          [`write_${name}`, toolName(store)],
          [`${name}_batch`, batchName(store)],
        ]
      }),
  )
}

/**
 * A document as tools return it. Its own fields are in `payload`, as in the HTTP API: a store may
 * have a field `key`, and a document is deleted by the key of the store.
 */
const shown = ({ key, version, payload, stale }: StoreDocument): JsonObject => ({
  key,
  version,
  payload,
  ...(stale && { stale }),
})
const dated = (document: StoreDocument): JsonObject => ({
  ...shown(document),
  stored_at: document.computedAt,
  ...(document.trace && { trace: document.trace }),
})
const failed = ({ code, message }: Failure): ToolResult => ({ status: 'error', code, message })

function queryStore(
  stores: readonly StoreDefinition[],
  limits: ToolLimits,
  documents: Documents,
): ToolDefinition {
  const about = stores
    .map(
      (store) =>
        `${store.name} (${store.entity.name}: ${Object.keys(store.entity.schema).join(', ')})`,
    )
    .join('; ')
  return defineTool({
    name: 'query_store',
    description: `Reads documents of a store: one by its key, or a list with filters. Each has its key and version, and its fields in payload. Stores: ${about}.`,
    readOnly: true,
    runningLabel: 'Reading the store',
    completedLabel: 'Read the store',
    input: z.object({
      store: z.enum(stores.map(({ name }) => name)).describe('Which store'),
      key: z.string().optional().describe('Key of one document'),
      history: z
        .boolean()
        .optional()
        .describe('With a key: its earlier versions, too, the newest first'),
      filter: z
        .record(z.string(), jsonValue)
        .optional()
        .describe(
          'Field to value, or field to {"gte": 5}; operators: eq, ne, gt, gte, lt, lte, in, contains. owner.name is a field inside one',
        ),
      sort: z.string().optional().describe('Field to sort by, with - in front for descending'),
      limit: z
        .int()
        .min(1)
        .max(limits.maxResults)
        .optional()
        .describe('How many, 20 where it is not given'),
      offset: z.int().min(0).optional().describe('How many to skip'),
    }),
    execute: async ({ store: name, key, history = false, ...asked }, ctx) => {
      const store = stores.find((one) => one.name === name)
      if (!store) return { status: 'error', message: `There is no store "${name}".` }
      return told(
        await documents.inCall(store, ctx, async (backend): Promise<ToolResult> => {
          if (key !== undefined) {
            const found = isStorable(key)
              ? await backend.get(store, key, ctx.signal)
              : ok(undefined)
            if (!found.ok) return failed(found.error)
            if (!found.value)
              return { status: 'success', output: { found: false, store: name, key } }
            if (!history) return { status: 'success', output: shown(found.value) }
            const earlier = await backend.history(store, key, ctx.signal)
            return earlier.ok
              ? {
                  status: 'success',
                  output: {
                    store: name,
                    key,
                    versions: [found.value, ...earlier.value].map(dated),
                  },
                }
              : failed(earlier.error)
          }
          if (history)
            return {
              status: 'error',
              code: 'TOOL_ARGUMENTS',
              message: 'history: needs the key of a document',
            }
          const query = readQuery(store, asked, limits.maxResults)
          if (!query.ok) return { status: 'error', code: 'TOOL_ARGUMENTS', message: query.error }
          const found = await backend.query(store, query.value, ctx.signal)
          if (!found.ok) return failed(found.error)
          const { documents: page, total } = found.value
          return {
            status: 'success',
            output: {
              store: name,
              total,
              documents: page.map(shown),
              has_more: query.value.offset + page.length < total,
            },
          }
        }),
      )
    },
  })
}

/** Stores one document. */
export function put(store: StoreDefinition, documents: Documents): ToolDefinition {
  return {
    name: toolName(store),
    file: store.file,
    description: `Stores one ${store.entity.name} in ${store.name}; a document with the same key (${store.entity.key}) is replaced.${store.description === undefined ? '' : ` ${store.description}`}`,
    parameters: withReasoning(store, schemaOf(store)),
    readOnly: false,
    keyed: true,
    runningLabel: `Writing to ${store.name}`,
    completedLabel: `Wrote to ${store.name}`,
    parse: (args) => {
      const split = splitReasoning(store, args)
      if (!split.ok) return split
      const problems = misfits(store, split.value.rest)
      return problems.length > 0 ? err(problems.join('; ')) : ok(args)
    },
    execute: async (args, ctx) => {
      const split = splitReasoning(store, args)
      if (!split.ok) return { status: 'error', code: 'TOOL_ARGUMENTS', message: split.error }
      const written = await writeInCall(
        store,
        { items: [split.value.rest], reasoning: split.value.reasoning, atomic: true },
        documents,
        ctx,
      )
      if (!written.ok) return failed(written.error)
      const {
        stored: [first],
        refused: [problem],
      } = written.value
      if (!first)
        return {
          status: 'error',
          code: 'TOOL_ARGUMENTS',
          message: problem?.error ?? 'nothing was stored',
        }
      documents.changed(store, ctx.tenant, 'put', 1)
      const { key, version, previousVersion } = first
      return {
        status: 'success',
        output: {
          stored: true,
          key,
          version,
          ...(previousVersion !== undefined && { previousVersion }),
        },
      }
    },
  }
}

function batch(store: StoreDefinition, limits: ToolLimits, documents: Documents): ToolDefinition {
  const mode = store.failure?.mode ?? 'partial'
  const items = { type: 'array', items: schemaOf(store), minItems: 1, maxItems: limits.maxBatch }
  return {
    name: batchName(store),
    file: store.file,
    description: `Stores up to ${limits.maxBatch} documents in ${store.name} at once. ${ABOUT_MODE[mode]}`,
    parameters: {
      type: 'object',
      ...withReasoning(store, { properties: { items }, required: ['items'] }),
      additionalProperties: false,
    },
    readOnly: false,
    keyed: true,
    runningLabel: `Writing to ${store.name}`,
    completedLabel: `Wrote to ${store.name}`,
    parse: (args) => {
      const split = splitReasoning(store, args)
      if (!split.ok) return split
      const { items: given, ...others } = split.value.rest
      const [other] = Object.keys(others)
      if (other !== undefined) return err(`${other}: is no parameter; put the documents into items`)
      if (!isList(given) || given.length === 0)
        return err('items: must be a list with at least one document')
      return given.length > limits.maxBatch
        ? err(`items: at most ${limits.maxBatch} documents at once, and there are ${given.length}`)
        : ok(args)
    },
    execute: async (args, ctx) => {
      const split = splitReasoning(store, args)
      if (!split.ok) return { status: 'error', code: 'TOOL_ARGUMENTS', message: split.error }
      const {
        rest: { items: given },
        reasoning,
      } = split.value
      const written = await writeInCall(
        store,
        { items: isList(given) ? given : [], reasoning, atomic: mode === 'all-or-nothing' },
        documents,
        ctx,
      )
      if (!written.ok) return failed(written.error)
      const { stored, refused } = written.value
      if (stored.length === 0 && mode !== 'skip') return nothingStored(refused)
      documents.changed(store, ctx.tenant, 'batch', stored.length)
      return {
        status: 'success',
        output: {
          stored: stored.length,
          keys: stored.map(({ key }) => key),
          ...(mode !== 'skip' && refused.length > 0 && { failed: refused }),
        },
      }
    },
  }
}

const ABOUT_MODE: Readonly<Record<FailureMode, string>> = {
  partial: 'Those that do not fit are named, the others are stored.',
  skip: 'Those that do not fit are left out, the others are stored.',
  'all-or-nothing': 'All of them or none.',
}

interface Given {
  readonly items: readonly Json[]
  readonly reasoning: string | undefined
  readonly atomic: boolean
}

async function writeInCall(
  store: StoreDefinition,
  { items, reasoning, atomic }: Given,
  documents: Documents,
  ctx: ToolContext,
): Promise<Result<Written, Failure>> {
  if (!documents.mayWrite(store, ctx.roles)) return err(notTheirs(store))
  return writeDocuments(store, items, {
    atomic,
    open: (one, work) => documents.inCall(one, ctx, work),
    stores: (ctx.bundle.unrestricted ?? ctx.bundle).stores,
    callKey: documents.callKey(store, ctx.tenant, ctx.key),
    ...traceOf(store, reasoning, ctx),
    lease: ctx.lease,
    log: ctx.log,
    signal: ctx.signal,
  })
}

function nothingStored(refused: readonly Refused[]): ToolResult {
  const each = refused.map(
    (one) => `${'index' in one ? `items[${one.index}]` : one.key} ${one.error}`,
  )
  return {
    status: 'error',
    code: 'TOOL_ARGUMENTS',
    message: `Nothing was stored: ${each.join('; ')}`,
  }
}

/** Removes one document of one of the stores. */
export function remove(stores: readonly StoreDefinition[], documents: Documents): ToolDefinition {
  return defineTool({
    name: 'delete_from_store',
    description:
      'Removes one document of a store by its key, with its earlier versions. It cannot be brought back.',
    readOnly: false,
    keyed: true,
    runningLabel: 'Deleting from the store',
    completedLabel: 'Deleted from the store',
    input: z.object({
      store: z.enum(stores.map(({ name }) => name)).describe('Which store'),
      key: z.string().describe('Key of the document'),
    }),
    execute: async ({ store: name, key }, ctx) => {
      const store = stores.find((one) => one.name === name)
      if (!store) return { status: 'error', message: `There is no store "${name}".` }
      if (!documents.mayWrite(store, ctx.roles)) return failed(notTheirs(store))
      return told(
        await documents.inCall(store, ctx, async (backend): Promise<ToolResult> => {
          const gone = isStorable(key)
            ? await backend.remove(
                store,
                key,
                { callKey: documents.callKey(store, ctx.tenant, ctx.key), lease: ctx.lease },
                ctx.signal,
              )
            : ok(false)
          if (!gone.ok) return failed(gone.error)
          if (gone.value) documents.changed(store, ctx.tenant, 'delete', 1)
          return {
            status: 'success',
            output: { deleted: gone.value, store: name, key, ...(!gone.value && { found: false }) },
          }
        }),
      )
    },
  })
}

const told = (done: Result<ToolResult, Failure>): ToolResult =>
  done.ok ? done.value : failed(done.error)

const notTheirs = ({ name }: StoreDefinition): Failure =>
  failure(
    'TOOL_DENIED',
    `The documents of "${name}" belong to everybody, and this person may only read them.`,
  )
