import {
  deadline,
  err,
  type Failure,
  type Outbound,
  type OutboundRequest,
  type OutboundResponse,
  type Result,
} from '@amodal/sdk'
import { readResponse } from './response-body.ts'
import { readFetch, readRequest } from './read.ts'
import { send, type SendOptions } from './send.ts'
import { failureOf } from './request-failure.ts'

export interface Limits {
  /** Default timeout of a whole exchange, ms. */
  readonly timeoutMs: number
  /** Default size limit of a response, bytes. */
  readonly maxBytes: number
}

/** Creates the outbound HTTP service. It has no state: connections are pooled by the network. */
export function createOutbound(limits: Limits, ways: SendOptions): Outbound {
  return {
    request: (request) => exchange(request, limits, ways),
    fetch:
      (lease, privateOrigin) =>
      async (input, init = {}) => {
        const { address, ...sending } = readFetch(input, init)
        // A caller that passes a signal has its own deadline, such as the one for a streamed
        // reply.
        const limit =
          sending.signal === undefined ? deadline(undefined, limits.timeoutMs) : undefined
        try {
          const sent = await send(
            address,
            { ...sending, lease, privateOrigin, signal: sending.signal ?? limit?.signal },
            ways,
          )
          if (sent.ok) return sent.value.response
          sending.signal?.throwIfAborted() // as every fetch does
          throw new OutboundError(sent.error)
        } finally {
          limit?.clear()
        }
      },
  }
}

/** What `fetch` rejects with; the failure itself is its cause. */
export class OutboundError extends TypeError {
  constructor(error: Failure) {
    super(error.message, { cause: error })
    this.name = 'OutboundError'
  }
}

async function exchange(
  request: OutboundRequest,
  limits: Limits,
  ways: SendOptions,
): Promise<Result<OutboundResponse, Failure>> {
  const read = readRequest(request)
  if (!read.ok) return read
  const limit = deadline(request.signal, request.timeoutMs ?? limits.timeoutMs)
  const sending = { ...read.value, signal: limit.signal }
  try {
    const sent = await send(request.url, sending, ways)
    if (!sent.ok) return sent
    const { response, url } = sent.value
    return await readResponse(response, url, request.maxBytes ?? limits.maxBytes).catch(
      (cause: unknown) =>
        err(
          failureOf(cause, url, {
            lease: sending.lease,
            signal: sending.signal,
            sent: true,
            status: response.status,
          }),
        ),
    )
  } finally {
    limit.clear()
  }
}
