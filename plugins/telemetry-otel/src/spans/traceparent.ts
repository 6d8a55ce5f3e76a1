import { isSpanContextValid, TraceFlags, type SpanContext } from '@opentelemetry/api'

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/**
 * Parses a W3C `traceparent`.
 *
 * @returns `undefined` where it is none, or belongs to no trace
 * @see https://www.w3.org/TR/trace-context/
 */
export function spanContextOf(traceparent: string | undefined): SpanContext | undefined {
  const [, version, traceId, spanId, flags, rest] =
    TRACEPARENT.exec(traceparent?.trim().toLowerCase() ?? '') ?? []
  if (version === undefined || traceId === undefined || spanId === undefined) return undefined
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags ?? '00', 16) & TraceFlags.SAMPLED,
    isRemote: true,
  }
  return isSpanContextValid(context) ? context : undefined
}

/** The `traceparent` of a span; `undefined` where it belongs to no trace. */
export const traceparentOf = (context: SpanContext): string | undefined =>
  isSpanContextValid(context)
    ? `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`
    : undefined
