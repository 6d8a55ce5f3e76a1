import { isSpanContextValid, TraceFlags, type SpanContext } from '@opentelemetry/api'
import { parseTraceparent } from '@amodal/sdk/data'

/** The span that a `traceparent` names; `undefined` where it is none, or belongs to no trace. */
export function spanContextOf(traceparent: string | undefined): SpanContext | undefined {
  const parsed = parseTraceparent(traceparent)
  if (parsed === undefined) return undefined
  const { traceId, spanId, flags } = parsed
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  const context: SpanContext = { traceId, spanId, traceFlags, isRemote: true }
  return isSpanContextValid(context) ? context : undefined
}

/** The `traceparent` of a span; `undefined` where it belongs to no trace. */
export const traceparentOf = (context: SpanContext): string | undefined =>
  isSpanContextValid(context)
    ? `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`
    : undefined
