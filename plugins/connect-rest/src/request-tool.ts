import {
  type AgentBundle,
  Authenticator,
  type Connection,
  defineTool,
  err,
  RedactionHandles,
  mapTexts,
  type RestSpec,
  type Result,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'
import { jsonNumber } from '@amodal/sdk/data'
import { apiDocumentsOf, connectionsOf } from '@amodal/sdk/connections'
import { z } from 'zod'
import { httpMethodOf } from './action.ts'
import { readBody, refusal } from './answer.ts'
import { statusOf } from './exchange.ts'
import { EndpointFilter, hasFilter } from './filter.ts'
import type { Order, RestClient } from './rest-client.ts'
import { wholeDocumentsOf } from './whole-documents.ts'
import { namedRow } from './returned-entities.ts'
import { filterRows, isOwn, type Scoped } from './row-scope.ts'

export const REQUEST = 'request'
/** Tries and waits included. */
const TIMEOUT_MS = 120_000
const NO_BODY = new Set(['GET', 'HEAD', 'OPTIONS'])

type Rest = Connection & { readonly rest: RestSpec }
/** HTTP connections of an agent. */
export const restConnections = (bundle: AgentBundle): readonly Rest[] =>
  connectionsOf(bundle).filter(
    (one): one is Rest => one.protocol === 'rest' && one.rest !== undefined,
  )

const scalar = z.union([z.string(), jsonNumber, z.boolean(), z.null()])

/** The tool that calls HTTP connections; none where there are none. */
export function requestTools(
  bundle: AgentBundle,
  client: RestClient,
  trustContext: boolean,
): readonly ToolDefinition[] {
  const connections = restConnections(bundle)
  if (connections.length === 0) return []
  const tool = defineTool({
    name: REQUEST,
    description:
      'Calls an HTTP connection; its credentials are added. Reads (GET) run at once; writes may ask a person first, who sees what you pass. Pass only what the task needs.',
    readOnly: false,
    timeoutMs: TIMEOUT_MS,
    runningLabel: 'Calling a connection',
    completedLabel: 'Called a connection',
    input: z
      .object({
        connection: z.enum(connections.map(({ name }) => name)).describe('Name of the connection'),
        method: z
          .string()
          .optional()
          .describe('GET (where left out), HEAD, OPTIONS, POST, PUT, PATCH or DELETE'),
        endpoint: z
          .string()
          .describe('Path below the address of the connection, such as /deals/42'),
        params: z
          .record(z.string(), z.union([scalar, z.array(scalar), z.record(z.string(), z.unknown())]))
          .optional()
          .describe('Query parameters, not encoded'),
        data: z
          .unknown()
          .optional()
          .describe(
            'Body, as the API document says: an object is written as JSON, a form or multipart; a text as it stands; bytes are base64. A file of multipart: { "base64" or "text", "filename", "content_type" }. Not with GET',
          ),
        headers: z
          .record(z.string(), z.string())
          .optional()
          .describe('Further headers; never credentials'),
        intent: z
          .enum(['read', 'write', 'confirmed_write'])
          .optional()
          .describe(
            'What you mean to do; needed where rules want it declared. It allows nothing: method and rules decide',
          ),
      })
      .refine(
        ({ method = 'GET', data }) =>
          data === undefined || data === null || !NO_BODY.has(method.toUpperCase()),
        {
          path: ['data'],
          error: 'reads have no body: pass values in `params`, or name the method of a write',
        },
      ),
    execute: async ({ connection: name }, ctx) => {
      const connection = connections.find((one) => one.name === name)
      if (!connection || !ctx.action)
        return { status: 'error', code: 'TOOL_FAILED', message: `there is no connection "${name}"` }
      const { action, key, lease, signal } = ctx
      // Without authentication all requests share one identity, so `context` is trusted.
      const trusted =
        trustContext || (ctx.scope.find(Authenticator)?.configured() ?? false) === false
      const handles = ctx.scope.find(RedactionHandles)
      const revealing = handles ? { reveal: (text: string) => handles.reveal(text, ctx) } : {}
      return perform(
        {
          connection,
          rest: connection.rest,
          action,
          asker: ctx,
          trustContext: trusted,
          ...revealing,
          key,
          lease,
          signal,
        },
        client,
        ctx,
      )
    },
  })
  const [documents, whole] = [apiDocumentsOf(bundle), wholeDocumentsOf(bundle)]
  const filters = new Map(
    connections
      .filter(({ rest }) => hasFilter(rest.filter))
      .map(({ name, rest }) => [name, new EndpointFilter(rest.filter)]),
  )
  return [
    {
      ...tool,
      action(args) {
        const connection = connections.find(({ name }) => name === args['connection'])
        if (!connection)
          return err(
            `there is no such connection; there are: ${connections.map(({ name }) => name).join(', ')}`,
          )
        const action = client.action(connection, connection.rest, args, documents[connection.name])
        const refused = action.ok
          ? filters.get(connection.name)?.refusal(action.value, connection, whole[connection.name])
          : undefined
        if (refused !== undefined) return err(refused)
        const belied = action.ok && args['intent'] === 'read' && action.value.effect === 'write'
        return belied
          ? err(
              `\`intent\` says read, and ${action.value.method} may change something: say "write" where you mean it`,
            )
          : action
      },
    },
  ]
}

async function perform(order: Order, client: RestClient, ctx: ToolContext): Promise<ToolResult> {
  const {
    connection: { name },
    action,
  } = order
  const failed = ({
    code,
    message,
  }: {
    readonly code: string
    readonly message: string
  }): ToolResult => ({ status: 'error', code, message: client.mask(message) })
  const scopes = client.scopes(order)
  if (!scopes.ok) return failed(scopes.error)
  const owned = await checkOwn(order, scopes.value, client)
  if (!owned.ok) return failed(owned.error)
  const sent = await client.send(order)
  if (!sent.ok) {
    const status =
      action.effect === 'read' || sent.error.code === 'OUTCOME_UNKNOWN' ? undefined : statusOf(sent)
    return status === undefined
      ? failed(sent.error)
      : answeredWithout(order, status, client.mask(sent.error.message))
  }
  if (sent.value.status >= 300 && sent.value.status !== 304)
    return refusal(name, httpMethodOf(action), action.path, sent.value, client.mask)
  const { value, content } = readBody(sent.value)
  const {
    value: shown,
    removed,
    nothing,
  } = filterRows(
    value,
    isWritten(order) ? scopes.value.map((scope) => ({ ...scope, strict: false })) : scopes.value,
  )
  const labels = [...new Set(scopes.value.map(({ label }) => label))].join(', ')
  // What was done is not undone by an answer that this person may not see.
  if (nothing && action.effect === 'write')
    return {
      status: 'success',
      output: {
        scope: `only ${labels}`,
        done: true,
        note: `${name} answered ${sent.value.status}. The answer is left out: nothing in it says that it is among ${labels}.`,
      },
    }
  if (nothing)
    return {
      status: 'error',
      code: 'TOOL_DENIED',
      message: `You see only ${labels} of ${name}, and this is not among them.`,
    }
  const output = mapTexts(shown, client.mask, true)
  const { resultPersistence } = order.rest
  const common = {
    status: 'success' as const,
    ...(content && { content }),
    ...(resultPersistence && { persistence: resultPersistence }),
  }
  if (labels === '' || isInner(ctx)) return { ...common, output }
  return {
    ...common,
    output: { scope: `only ${labels}`, ...(removed > 0 && { left_out: removed }), data: output },
  }
}

/** A write of which no more than the status is known: whether it was done, that says. */
function answeredWithout(
  { connection: { name }, action }: Order,
  status: number,
  why: string,
): ToolResult {
  const what = `${name} answered ${status} to ${httpMethodOf(action)} ${action.path}, and the rest of the answer is left out: ${why}`
  if (status >= 300) return { status: 'error', code: 'TARGET_ERROR', message: `${what}.` }
  return {
    status: 'success',
    output: { status, done: true, note: `${what}. It was done: do not repeat it.` },
  }
}

/** A call that another tool makes has the body itself, whose shape that tool knows. */
const isInner = ({ callId }: ToolContext): boolean => callId.includes('/')

/**
 * Changes a row that was there before: it was looked at, and the answer need not say again whose it
 * is.
 */
const isWritten = (order: Order): boolean => rowOf(order) !== undefined

/**
 * The path of the row that a write is about: `/deals/7`, also for `POST /deals/7/close`. What is
 * sent to a collection makes a new row, which the target is given with its owner.
 */
function rowOf({ connection: { access }, action }: Order): string | undefined {
  if (['PUT', 'PATCH', 'DELETE'].includes(action.method)) return action.path
  return action.method === 'POST' ? namedRow(access, action, action.base ?? '/') : undefined
}

/** Before a row is changed it is read: one that is another's is left alone. */
async function checkOwn(
  order: Order,
  scopes: readonly Scoped[],
  client: RestClient,
): Promise<Result<void, { readonly code: string; readonly message: string }>> {
  const strict = scopes.filter((scope) => scope.strict)
  const row = rowOf(order)
  if (strict.length === 0 || row === undefined) return { ok: true, value: undefined }
  const { connection, action } = order
  const labels = [...new Set(strict.map(({ label }) => label))].join(', ')
  const { body: _, ...rest } = action
  const unscoped = { ...connection, access: { ...connection.access, rowScoping: [] } }
  const read = await client.send({
    ...order,
    connection: unscoped,
    action: { ...rest, path: row, method: 'GET', effect: 'read', query: {}, headers: {} },
  })
  if (!read.ok) return read
  const own = read.value.status < 300 && isOwn(readBody(read.value).value, strict)
  return own
    ? { ok: true, value: undefined }
    : err({
        code: 'TOOL_DENIED',
        message: `You may change only ${labels} of ${connection.name}, and this could not be found among them.`,
      })
}
