import { ExportResultCode, type ExportResult } from '@opentelemetry/core'
import { messageOf, type Logger, type Outbound } from '@amodal/sdk'
import type { ExportSettings } from './otel-variables.ts'

/** ms between two warnings that data is lost. */
const WARN_MS = 60_000
/** ms without an attempt after a failure; twice as long after each further one. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** Encodes the data of one signal. */
export interface Encoding<Batch> {
  /** What a batch has, for messages. */
  readonly noun: string
  json(batch: Batch): Uint8Array | undefined
  protobuf(batch: Batch): Uint8Array | undefined
}

/**
 * Sends data of one signal to an OTLP receiver through the way out of the server. After a failure
 * nothing is sent for a while: what waits for a receiver that hangs costs memory and time.
 */
export class OutboundExporter<Batch> {
  readonly #outbound: () => Outbound | undefined
  readonly #settings: ExportSettings
  readonly #encoding: Encoding<Batch>
  readonly #log: Logger
  readonly #pending = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  #warned = -Infinity
  #pausedUntil = -Infinity
  #pauseMs = FIRST_PAUSE_MS

  constructor(
    outbound: () => Outbound | undefined,
    settings: ExportSettings,
    encoding: Encoding<Batch>,
    log: Logger,
  ) {
    this.#outbound = outbound
    this.#settings = settings
    this.#encoding = encoding
    this.#log = log
  }

  export(batch: Batch, resultCallback: (result: ExportResult) => void): void {
    if (performance.now() < this.#pausedUntil) {
      resultCallback({ code: ExportResultCode.FAILED })
      return
    }
    const sending = this.#send(batch).then(
      (problem) => {
        if (problem === undefined) this.#pauseMs = FIRST_PAUSE_MS
        else this.#fails(problem)
        resultCallback({
          code: problem === undefined ? ExportResultCode.SUCCESS : ExportResultCode.FAILED,
        })
      },
      (cause: unknown) => {
        this.#fails(messageOf(cause))
        resultCallback({ code: ExportResultCode.FAILED })
      },
    )
    const pending = sending.finally(() => this.#pending.delete(pending))
    this.#pending.add(pending)
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#pending)
  }

  async shutdown(): Promise<void> {
    await this.forceFlush()
    this.#closing.abort(new Error('the server stops'))
  }

  /** Returns why the batch was not received. */
  async #send(batch: Batch): Promise<string | undefined> {
    const { url, headers, protocol, timeoutMs } = this.#settings
    const isJson = protocol === 'http/json'
    const body = isJson ? this.#encoding.json(batch) : this.#encoding.protobuf(batch)
    const outbound = this.#outbound()
    if (!body) return 'they could not be encoded'
    if (!outbound) return 'no plugin of the list provides a way out: add `outbound`'
    const response = await outbound.request({
      url,
      method: 'POST',
      headers: {
        ...headers,
        'content-type': isJson ? 'application/json' : 'application/x-protobuf',
      },
      body,
      lease: undefined,
      timeoutMs,
      privateOrigin: new URL(url).origin,
      signal: this.#closing.signal,
    })
    if (!response.ok) return response.error.message
    const { status } = response.value
    return status >= 200 && status < 300 ? undefined : `the receiver answered with status ${status}`
  }

  #fails(message: string): void {
    const now = performance.now()
    this.#pausedUntil = now + this.#pauseMs
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
    if (now - this.#warned < WARN_MS) return
    this.#warned = now
    const { noun } = this.#encoding
    this.#log.warn('telemetry.export', { message: `${noun} were lost: ${message}` })
  }
}
