import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { specTypeSchemas, type StandardSchemaV1Sync } from '@modelcontextprotocol/client'
import { repair } from './repair.ts'
import { withoutNullKeywords } from './schema-nulls.ts'

/** Told of a part of a response that could not be read and was left out. */
export type OnLeftOut = (method: string, reason: string) => void

interface ResultKind {
  readonly schema: StandardSchemaV1Sync
  /** Of what is missing, as `repair` takes them. */
  readonly defaults?: Readonly<Record<string, Json>>
}

const SERVER = {
  capabilities: {},
  serverInfo: { name: 'unknown', version: '' },
  'serverInfo.name': 'unknown',
  'serverInfo.version': '',
}
/** The results of a server, by the method that they answer. */
const RESULTS: Readonly<Record<string, ResultKind>> = {
  initialize: { schema: specTypeSchemas.InitializeResult, defaults: SERVER },
  'server/discover': { schema: specTypeSchemas.DiscoverResult, defaults: SERVER },
  'tools/list': {
    schema: specTypeSchemas.ListToolsResult,
    defaults: {
      tools: [],
      'tools.*.inputSchema': { type: 'object' },
      'tools.*.inputSchema.type': 'object',
    },
  },
  'resources/list': { schema: specTypeSchemas.ListResourcesResult, defaults: { resources: [] } },
  'resources/templates/list': {
    schema: specTypeSchemas.ListResourceTemplatesResult,
    defaults: { resourceTemplates: [] },
  },
  'prompts/list': { schema: specTypeSchemas.ListPromptsResult, defaults: { prompts: [] } },
  'tools/call': { schema: specTypeSchemas.CallToolResult },
  'resources/read': { schema: specTypeSchemas.ReadResourceResult, defaults: { contents: [] } },
  'prompts/get': { schema: specTypeSchemas.GetPromptResult, defaults: { messages: [] } },
  'completion/complete': {
    schema: specTypeSchemas.CompleteResult,
    defaults: { completion: { values: [] }, 'completion.values': [] },
  },
}

/** What a server sends of its own, by its method. A question loses nothing: it is asked whole. */
const PARAMS: Readonly<Record<string, StandardSchemaV1Sync>> = {
  'elicitation/create': specTypeSchemas.ElicitRequestParams,
  'sampling/createMessage': specTypeSchemas.CreateMessageRequestParams,
  'notifications/message': specTypeSchemas.LoggingMessageNotificationParams,
  'notifications/progress': specTypeSchemas.ProgressNotificationParams,
  'notifications/resources/updated': specTypeSchemas.ResourceUpdatedNotificationParams,
  'notifications/cancelled': specTypeSchemas.CancelledNotificationParams,
}

/** Requests whose methods are remembered; beyond, the oldest is forgotten. */
const MOST_REQUESTS = 10_000

/**
 * Reads the messages of one server before the client library does, which refuses a whole response,
 * or never finds it, for one part that does not fit: null is absent, and a part that cannot be read
 * is left out and reported.
 */
export class MessageReader {
  readonly #methods = new Map<Json, string>()
  readonly #onLeftOut: OnLeftOut
  /** The server was greeted in the older protocol. */
  #isOlder = false

  constructor(onLeftOut: OnLeftOut) {
    this.#onLeftOut = onLeftOut
  }

  /** Remembers the method of a request, by the id that the response will have. */
  sent(message: unknown): void {
    if (Array.isArray(message)) for (const one of message) this.sent(one)
    if (typeof message !== 'object' || message === null) return
    const { id, method }: { readonly id?: unknown; readonly method?: unknown } = message
    if ((typeof id !== 'string' && typeof id !== 'number') || typeof method !== 'string') return
    this.#methods.set(id, method)
    const [oldest] = this.#methods.keys()
    if (this.#methods.size > MOST_REQUESTS && oldest !== undefined) this.#methods.delete(oldest)
  }

  /** The message as the client library takes it. */
  received(message: Json): Json {
    if (isList(message)) return message.map((one) => this.received(one))
    if (!isObject(message)) return message
    if (typeof message['method'] === 'string') return withoutNulls(mended(message), ['params'])
    if (!Object.hasOwn(message, 'result')) return message
    const { error, ...rest } = message
    if (error !== undefined && error !== null) return withoutNulls(message, ['result'])
    return { ...rest, result: this.#result(message['id'] ?? null, message['result'] ?? null) }
  }

  /** Structured content of the older protocol is an object; the schema is of the newer one. */
  #fitting(result: JsonObject, leftOut: string[]): JsonObject {
    const { structuredContent, ...rest } = result
    if (!this.#isOlder || structuredContent === undefined || isObject(structuredContent))
      return result
    leftOut.push('structuredContent: must be an object')
    return rest
  }

  #result(id: Json, received: Json): JsonObject {
    const method = this.#methods.get(id) ?? ''
    this.#methods.delete(id)
    if (method === 'initialize') this.#isOlder = true
    const leftOut: string[] = []
    if (received !== null && !isObject(received)) leftOut.push('result: must be an object')
    const prepared = this.#fitting(
      isObject(received) ? withoutNullFields(method, received) : {},
      leftOut,
    )
    const kind = Object.hasOwn(RESULTS, method) ? RESULTS[method] : undefined
    // a question instead of a result
    const asks = prepared['resultType'] === 'input_required'
    const read = kind && !asks ? repair(prepared, kind.schema, { ...kind, drops: true }) : undefined
    leftOut.push(...(read?.leftOut ?? []))
    for (const reason of leftOut) this.#onLeftOut(method, reason)
    const result = read?.value ?? prepared
    return method === 'tools/call' && leftOut.length > 0 ? withNote(result, leftOut) : result
  }
}

/** No field of a result may be null. */
function withoutNullFields(method: string, received: JsonObject): JsonObject {
  const result = withoutNulls(received, Object.keys(received))
  const { inputRequests, tools } = result
  if (isObject(inputRequests ?? null))
    return {
      ...result,
      inputRequests: Object.fromEntries(
        Object.entries(inputRequests as JsonObject).map(([key, request]: [string, Json]) => [
          key,
          isObject(request) ? mended(request) : request,
        ]),
      ),
    }
  return method === 'tools/list' && isList(tools ?? null)
    ? { ...result, tools: (tools as readonly Json[]).map(withPlainSchemas) }
    : result
}

function withPlainSchemas(tool: Json): Json {
  if (!isObject(tool)) return tool
  const schemas = (['inputSchema', 'outputSchema'] as const).flatMap((name) => {
    const schema = tool[name] ?? null
    return isObject(schema) ? [[name, withoutNullKeywords(schema)] as const] : []
  })
  return { ...tool, ...Object.fromEntries(schemas) }
}

/** A request or a notification of the server, without nulls where its method knows none. */
function mended(message: JsonObject): JsonObject {
  const { method, params } = message
  if (typeof method !== 'string' || !isObject(params ?? null)) return message
  const schema = Object.hasOwn(PARAMS, method) ? PARAMS[method] : undefined
  return schema
    ? { ...message, params: repair(params as JsonObject, schema, { drops: false }).value }
    : message
}

const withoutNulls = (object: JsonObject, names: readonly string[]): JsonObject =>
  names.some((name) => object[name] === null)
    ? Object.fromEntries(
        Object.entries(object).filter(
          ([name, value]: [string, Json]) => value !== null || !names.includes(name),
        ),
      )
    : object

/** The model is told, too: what is missing may be what it has asked for. */
function withNote(result: JsonObject, leftOut: readonly string[]): JsonObject {
  const { content = null } = result
  const text = `[left out, since it cannot be read: ${leftOut.join('; ')}]`
  return { ...result, content: [...(isList(content) ? content : []), { type: 'text', text }] }
}
