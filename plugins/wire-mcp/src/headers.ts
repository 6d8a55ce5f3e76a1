import { parseTraceparent } from '@amodal/sdk/data'
import type { McpRequest } from './server-parts.ts'

/**
 * Headers of a message that a request brings. The trace that its `_meta` names comes before that of
 * the HTTP request, which may carry several requests.
 *
 * @see https://modelcontextprotocol.io/community/seps/414-request-meta
 */
export function headersOf({
  ctx,
  from,
}: Pick<McpRequest, 'ctx' | 'from'>): Readonly<Record<string, string>> {
  const traceparent: unknown = ctx.mcpReq._meta?.['traceparent']
  return typeof traceparent === 'string' && parseTraceparent(traceparent)
    ? { ...from.headers, traceparent }
    : (from.headers ?? {})
}
