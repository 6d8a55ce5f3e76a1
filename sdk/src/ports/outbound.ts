import { slot, type Failure, type Lease, type Result } from '@amodal/kernel'

export interface OutboundRequest {
  readonly url: string
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** ms for the whole exchange; 30,000 where it is not given. */
  readonly timeoutMs?: number
  /** Bytes of answer kept; 10 MB where it is not given. Past that: `TOO_LARGE`. */
  readonly maxBytes?: number
  /** An origin that may resolve to a private address, since the agent's own files name it. */
  readonly privateOrigin?: string
  /** Sent as `Idempotency-Key` on anything but GET, HEAD and OPTIONS. */
  readonly key?: string
  /**
   * Checked in the tick that sends; aborts when it is lost. Left out only by calls that belong to
   * no run.
   */
  readonly lease?: Lease
  readonly signal?: AbortSignal
}
export interface OutboundResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Who answered, after redirects. */
  readonly url?: string
  text(): string
}

/** The one way out. A failure to connect is a value; an HTTP status is an answer. */
export interface Outbound {
  request(request: OutboundRequest): Promise<Result<OutboundResponse, Failure>>
  /**
   * The same as a `fetch`, for libraries that take one; streams its body. `privateOrigin` as in a
   * request.
   */
  fetch(lease?: Lease, privateOrigin?: string): typeof fetch
}
/**
 * Whether an error says, however deep it is wrapped, that a request was written and no whole answer
 * came.
 */
export function mayHaveActed(cause: unknown): boolean {
  for (
    let one = cause, depth = 0;
    typeof one === 'object' && one !== null && depth < 8;
    one = 'cause' in one ? one.cause : undefined, depth++
  ) {
    if (
      'details' in one &&
      typeof one.details === 'object' &&
      one.details !== null &&
      'sent' in one.details &&
      one.details.sent === true
    )
      return true
  }
  return false
}

export const Outbound = slot.kernel<Outbound>('outbound')
