import { err, slot, type Failure, type Lease, type Result } from '@amodal/kernel'
import { failure } from '../errors.ts'

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
  /** A proxy (URL) in place of those of the environment, or `false` for none. */
  readonly proxy?: string | false
  /** Sent as `Idempotency-Key` on anything but GET, HEAD and OPTIONS. */
  readonly key?: string
  /**
   * Checked in the tick that sends; aborts when it is lost. `undefined` says that the request
   * belongs to no run; inside of one, `ctx.outbound` has it.
   */
  readonly lease: Lease | undefined
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

/**
 * The way out of one run, or of one call: its lease, its key and its signal are in it, so that a
 * process which has lost the session sends nothing more for it.
 */
export interface BoundOutbound {
  request(
    request: Omit<OutboundRequest, 'lease' | 'key'>,
  ): Promise<Result<OutboundResponse, Failure>>
  /** The same as a `fetch`, for libraries that take one; `privateOrigin` as in a request. */
  fetch(privateOrigin?: string): typeof fetch
}

interface Binding {
  readonly lease: Lease
  readonly signal: AbortSignal
  /** Of a call; what is sent without one has no key. */
  readonly key?: string
}

/**
 * Binds the way out. Where no plugin provides one, every request is `OUTBOUND_REFUSED`.
 *
 * @param outbound resolved when something is sent
 */
export function boundOutbound(
  outbound: () => Outbound | undefined,
  { lease, signal, key }: Binding,
): BoundOutbound {
  const refused = (): Failure =>
    failure('OUTBOUND_REFUSED', 'no plugin of the list provides a way out: add `outbound`')
  return {
    request: async (request) => {
      const signals = request.signal ? AbortSignal.any([signal, request.signal]) : signal
      const bound = { ...request, lease, signal: signals, ...(key !== undefined && { key }) }
      return (await outbound()?.request(bound)) ?? err(refused())
    },
    fetch: (privateOrigin) => {
      const bound = outbound()?.fetch(lease, privateOrigin)
      return async (input, init) => {
        if (!bound) throw new Error(refused().message, { cause: refused() })
        const signals = init?.signal ? AbortSignal.any([signal, init.signal]) : signal
        return bound(input, { ...init, signal: signals })
      }
    },
  }
}
