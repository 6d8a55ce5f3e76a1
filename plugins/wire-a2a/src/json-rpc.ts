import type { Json, JsonObject, RouteContext } from '@amodal/sdk'
import { failed, readJson } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { a2aError, rpcError, type OperationError } from './a2a-error.ts'
import type { Operations } from './operations.ts'
import { versionProblem } from './version.ts'

const call = z.object({
  jsonrpc: z.literal('2.0'),
  method: z.string().max(100),
  params: z.unknown().optional(),
  id: z.union([z.string(), z.number(), z.null()]).default(null),
})

/** The JSON-RPC binding: one call in one request. */
export async function jsonRpc(
  request: Request,
  context: RouteContext,
  operations: Operations,
  extendedCard: () => JsonObject,
): Promise<Response> {
  const caller = context.caller()
  if (!caller.ok) return failed(caller.error)
  const body = await readJson(request, z.unknown())
  if (!body.ok) return refused(null, a2aError('PARSE_ERROR', body.error.message))
  const read = call.safeParse(body.value)
  if (!read.success) return refused(null, a2aError('INVALID_REQUEST', 'it is no JSON-RPC 2.0 call'))
  const { id, method, params } = read.data
  const unsupported = versionProblem(request)
  if (unsupported) return refused(id, unsupported)
  const wrap = (result: JsonObject): JsonObject => ({ jsonrpc: '2.0', id, result })
  if (method === 'GetExtendedAgentCard') return Response.json(wrap(extendedCard()))
  const given = await operations.run(method, {
    caller: caller.value,
    params,
    signal: context.signal,
    wrap,
  })
  if (!given.ok) return refused(id, given.error)
  if (given.value instanceof Response) return given.value
  return Response.json({ jsonrpc: '2.0', id, result: given.value ?? null })
}

const refused = async (id: Json, error: OperationError): Promise<Response> =>
  Response.json({ jsonrpc: '2.0', id, error: await rpcError(error) })
