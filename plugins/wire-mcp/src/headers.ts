import type { McpRequest } from './server-parts.ts'

const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/

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
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent)
    ? { ...from.headers, traceparent }
    : (from.headers ?? {})
}
