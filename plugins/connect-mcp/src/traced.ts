import type { McpRequest, McpSpan } from '@amodal/plugin-telemetry-otel/tokens'
import { ProtocolError, SdkError } from '@modelcontextprotocol/client'

/** Of a request itself. */
export type Subject = Pick<McpRequest, 'method' | 'tool' | 'prompt'>
/** Of the connection over which it goes. */
export type ConnectionFacts = Pick<McpRequest, 'protocol' | 'session' | 'transport'>

/** Begins the span of a request; `undefined` where its run is not traced. */
export type BeginSpan = (request: Omit<McpRequest, 'key'>) => McpSpan | undefined

/** What goes along with every request. */
export type RequestMeta = Readonly<Record<string, string>>

/**
 * Sends a request in a span of its own, whose `traceparent` goes along in `_meta`: what its server
 * does belongs to the trace of the run, over HTTP and over stdio.
 *
 * @see https://modelcontextprotocol.io/community/seps/414-request-meta
 */
export async function traced(
  begin: BeginSpan | undefined,
  subject: Subject,
  facts: () => ConnectionFacts,
  send: (meta: RequestMeta) => Promise<unknown>,
): Promise<unknown> {
  const span = begin?.({ ...subject, ...facts() })
  if (!span) return send({})
  try {
    const response = await send({ traceparent: span.traceparent })
    span.end(isFailedTool(response) ? 'tool_error' : undefined)
    return response
  } catch (cause) {
    span.end(kindOf(cause))
    throw cause
  }
}

const isFailedTool = (response: unknown): boolean =>
  typeof response === 'object' &&
  response !== null &&
  'isError' in response &&
  response.isError === true

/** `error.type` of the conventions: a code. */
function kindOf(cause: unknown): string {
  if (cause instanceof ProtocolError || cause instanceof SdkError) return String(cause.code)
  return cause instanceof Error && cause.name !== 'Error' ? cause.name : '_OTHER'
}
