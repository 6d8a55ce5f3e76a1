import {
  deadline,
  err,
  type Failure,
  type Outbound,
  type OutboundRequest,
  type OutboundResponse,
  type Result,
} from '@amodal/sdk'
import { readAnswer } from './answer.ts'
import { readFetch, readRequest } from './read.ts'
import { send, type Ways } from './send.ts'
import { trouble } from './trouble.ts'

export interface Limits {
  /** ms for a whole exchange that names no time of its own. */
  readonly timeoutMs: number
  /** Bytes of an answer that names no size of its own. */
  readonly maxBytes: number
}

/** Makes the one way out. It keeps no state of its own: connections are pooled by the network. */
export function createOutbound(limits: Limits, ways: Ways): Outbound {
  return {
    request: (request) => exchange(request, limits, ways),
    fetch:
      (lease, privateOrigin) =>
      async (input, init = {}) => {
        const { address, ...sending } = readFetch(input, init)
        // A caller who brings a signal has a deadline of its own, such as the one for a streamed
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
  ways: Ways,
): Promise<Result<OutboundResponse, Failure>> {
  const read = readRequest(request)
  if (!read.ok) return read
  const limit = deadline(request.signal, request.timeoutMs ?? limits.timeoutMs)
  const sending = { ...read.value, signal: limit.signal }
  try {
    const sent = await send(request.url, sending, ways)
    if (!sent.ok) return sent
    const { response, url } = sent.value
    return await readAnswer(response, url, request.maxBytes ?? limits.maxBytes).catch(
      (cause: unknown) =>
        err(trouble(cause, url, { ...sending, sent: true, status: response.status })),
    )
  } finally {
    limit.clear()
  }
}
