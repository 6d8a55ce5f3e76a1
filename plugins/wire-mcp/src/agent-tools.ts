import {
  err,
  failure,
  matchesWildcard,
  ok,
  Tools,
  type Failure,
  type Json,
  type JsonObject,
  type Result,
  type ToolDefinition,
} from '@amodal/sdk'
import { newKey } from '@amodal/sdk/loop'
import { converse } from './conversation.ts'
import { directMessage } from './direct-call.ts'
import { headersOf } from './headers.ts'
import { send } from './own-tools.ts'
import type { CallToolResult, Tool, ToolAnswer } from './protocol.ts'
import type { McpRequest } from './server-parts.ts'
import { callResult } from './turn-result.ts'

/** Where the tools of the stores come from, among the sources of tools. */
const STORES = 'stores'

/** Tools of the agent that this client may call: of those that its model would have. */
export async function exposedTools(
  { caller, ctx, from, parts }: McpRequest,
  taken: ReadonlySet<string>,
): Promise<Result<readonly ToolDefinition[], Failure>> {
  const { agent, generation, settings } = parts
  const bundle = agent.bundle()
  const stores =
    settings.stores && bundle && from.may('stores')
      ? (generation().registry(Tools).get(STORES)?.tools(bundle) ?? [])
      : []
  if (settings.expose.length === 0 && stores.length === 0) return ok([])
  const storeTools = new Set(stores.map(({ name }) => name))
  const compiled = await agent.compiled(ctx.mcpReq.signal, caller.roles ?? [], caller)
  if (!compiled.ok) return compiled
  return ok(
    compiled.value.tools.tools.filter(
      ({ name, hidden }) =>
        hidden !== true &&
        !taken.has(name) &&
        (storeTools.has(name) || settings.expose.some((pattern) => matchesWildcard(pattern, name))),
    ),
  )
}

/** A tool of the agent as clients see it. */
export function listedTool({ name, description, parameters, readOnly, keyed }: ToolDefinition) {
  const { type: _type, ...schema } = withoutHeaders(parameters)
  return {
    name,
    description,
    inputSchema: { ...schema, type: 'object' },
    annotations: readOnly
      ? { readOnlyHint: true }
      : { readOnlyHint: false, destructiveHint: true, idempotentHint: keyed === true },
  } satisfies Tool
}

/** This server takes no arguments from headers, and must not say that it does. */
const withoutHeaders = (schema: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(schema), (key, value: Json) =>
    key === 'x-mcp-header' && typeof value === 'string' ? undefined : value,
  ) as JsonObject // it was one

/**
 * Calls a tool of the agent as its model would: in a session of its own, whose id the result names.
 */
export function callExposed(
  name: string,
  args: JsonObject,
  request: McpRequest,
): Promise<ToolAnswer> {
  // The call carries the key of its message, so that a request that comes back knows it.
  const key = request.ctx.mcpReq.requestState<{ readonly key: string }>()?.key ?? newKey()
  return converse(request, {
    name,
    begin: () =>
      send({ ...directMessage(name, args, key), key, headers: headersOf(request) }, request),
    result: (turn) => callResult(key, turn),
  })
}

/** What a tool gives that only reads, as JSON or text; a question or an error is a failure. */
export async function readWith(
  name: string,
  args: JsonObject,
  request: McpRequest,
): Promise<Result<string, Failure>> {
  const answer = await callExposed(name, args, { ...request, hasForms: false })
  const [part] = isResult(answer) ? answer.content : []
  const text = part?.type === 'text' ? part.text : undefined
  return text === undefined || answer['isError'] === true
    ? err(failure('TOOL_DENIED', text ?? `"${name}" gave no text`))
    : ok(text)
}

const isResult = (answer: ToolAnswer): answer is CallToolResult => Array.isArray(answer['content'])
