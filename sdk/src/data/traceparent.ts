/** The parts of a W3C `traceparent`, in lower-case hexadecimal. */
export interface Traceparent {
  readonly version: string
  readonly traceId: string
  readonly spanId: string
  readonly flags: string
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.{0,200})?$/

/**
 * Parses the `traceparent` of a header, or of a field that carries one.
 *
 * @param value what stands there, of whatever type
 * @returns `undefined` where it is none; versions to come are read as far as they are known
 * @example
 * parseTraceparent('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')?.spanId
 * // 'b7ad6b7169203331'
 * @see https://www.w3.org/TR/trace-context/
 */
export function parseTraceparent(value: unknown): Traceparent | undefined {
  if (typeof value !== 'string') return undefined
  const [, version = '', traceId = '', spanId = '', flags = '', rest] =
    TRACEPARENT.exec(value.trim().toLowerCase()) ?? []
  if (version === '' || version === 'ff') return undefined
  if (version === '00' && rest !== undefined) return undefined
  return { version, traceId, spanId, flags }
}
