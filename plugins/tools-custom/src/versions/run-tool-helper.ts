import {
  err,
  failure,
  ok,
  type Failure,
  type Json,
  type JsonObject,
  type Outbound,
  type Result,
} from '@amodal/sdk'
import type { Helper } from '../process/handler-process.ts'
import type { HandlerNotice, HandlerRequest } from '../process/messages.ts'

const FETCH_MS = 30_000
const MOST_BODY = 5_000_000

/** What `run_tool` can reach during one call: status events, and requests through the way out. */
export class RunToolHelper implements Helper {
  readonly #outbound: Outbound
  readonly #onStatus: (event: JsonObject) => void
  readonly #signal: AbortSignal

  constructor(outbound: Outbound, onStatus: (event: JsonObject) => void, signal: AbortSignal) {
    this.#outbound = outbound
    this.#onStatus = onStatus
    this.#signal = signal
  }

  request(what: HandlerRequest): Promise<Result<Json, Failure>> {
    if (what.op === 'fetch') return this.#fetch(what)
    return Promise.resolve(
      err(failure('TOOL_DENIED', `a versioned tool has no "${what.op}": use fetch`)),
    )
  }

  notify(what: HandlerNotice): void {
    if (what.op === 'emit') this.#onStatus(what.event)
  }

  async #fetch({
    url,
    method,
    headers,
    body,
  }: Extract<HandlerRequest, { op: 'fetch' }>): Promise<Result<Json, Failure>> {
    const response = await this.#outbound.request({
      url,
      method,
      headers,
      lease: undefined,
      signal: this.#signal,
      timeoutMs: FETCH_MS,
      maxBytes: MOST_BODY,
      ...(body !== undefined && { body: Buffer.from(body, 'base64') }),
    })
    if (!response.ok) return response
    const { status, headers: received, body: bytes } = response.value
    return ok({ status, headers: { ...received }, body: Buffer.from(bytes).toString('base64') })
  }
}
