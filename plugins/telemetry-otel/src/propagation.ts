import { SpanKind, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import type { HookTaps, Outbound, OutboundRequest } from '@amodal/sdk'
import { NAMES } from './names.ts'
import { spanContextOf, traceparentOf } from './spans/traceparent.ts'
import type { Tracing } from './tracing.ts'

const HEADER = 'traceparent'

/** Stores with each message the trace that its run belongs to: that of the request, or a new one. */
export function tapMessages(hooks: HookTaps, tracing: Tracing): void {
  hooks.session.open.tap((draft, request) => {
    const { tracer } = tracing
    if (!tracer) return undefined
    const parent = request.parent && tracing.bySession.get(request.parent)
    const origin = spanContextOf(parent ? parent.traceparent() : request.headers[HEADER])
    const span = tracer.startSpan(
      'amodal.message',
      { kind: SpanKind.INTERNAL, attributes: { [NAMES.conversation]: draft.session } },
      origin ? trace.setSpanContext(ROOT_CONTEXT, origin) : ROOT_CONTEXT,
    )
    span.end()
    const traceparent = traceparentOf(span.spanContext())
    return traceparent === undefined ? undefined : { ...draft, trace: traceparent }
  })
}

/** Adds `traceparent` to requests of a run that is traced. */
export function tracedOutbound(outbound: Outbound, { byLease }: Tracing): Outbound {
  const headersOf = ({
    lease,
    key,
  }: Pick<OutboundRequest, 'lease' | 'key'>): Readonly<Record<string, string>> => {
    const traceparent = lease && byLease.get(lease)?.traceparent(key)
    return traceparent === undefined ? {} : { [HEADER]: traceparent }
  }
  return {
    request: (request) =>
      outbound.request({ ...request, headers: { ...headersOf(request), ...request.headers } }),
    fetch: (lease, privateOrigin) => {
      const fetch = outbound.fetch(lease, privateOrigin)
      return (input, init) => {
        const [[name, value] = []] = Object.entries(headersOf({ lease }))
        if (name === undefined || value === undefined) return fetch(input, init)
        const headers = new Headers(
          init?.headers ?? (input instanceof Request ? input.headers : {}),
        )
        if (!headers.has(name)) headers.set(name, value)
        return fetch(input, { ...init, headers })
      }
    },
  }
}
