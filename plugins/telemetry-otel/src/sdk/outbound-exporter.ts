import { ExportResultCode, type ExportResult } from '@opentelemetry/core'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import { messageOf, type Logger, type Outbound } from '@amodal/sdk'
import type { ExportSettings } from './otel-variables.ts'

/** ms between two warnings that spans are lost. */
const WARN_MS = 60_000

/** Sends spans to an OTLP receiver through the way out of the server. */
export class OutboundExporter implements SpanExporter {
  readonly #outbound: () => Outbound | undefined
  readonly #settings: ExportSettings
  readonly #log: Logger
  readonly #pending = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  #warned = -Infinity

  constructor(outbound: () => Outbound | undefined, settings: ExportSettings, log: Logger) {
    this.#outbound = outbound
    this.#settings = settings
    this.#log = log
  }

  export(spans: ReadableSpan[], resultCallback: (result: ExportResult) => void): void {
    const sending = this.#send(spans).then(
      (problem) => {
        if (problem !== undefined) this.#warn(problem, spans.length)
        resultCallback({
          code: problem === undefined ? ExportResultCode.SUCCESS : ExportResultCode.FAILED,
        })
      },
      (cause: unknown) => {
        this.#warn(messageOf(cause), spans.length)
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

  /** Returns why the spans were not received. */
  async #send(spans: readonly ReadableSpan[]): Promise<string | undefined> {
    const { url, headers, protocol, timeoutMs } = this.#settings
    const isJson = protocol === 'http/json'
    const body = (isJson ? JsonTraceSerializer : ProtobufTraceSerializer).serializeRequest([
      ...spans,
    ])
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

  #warn(message: string, spans: number): void {
    const now = performance.now()
    if (now - this.#warned < WARN_MS) return
    this.#warned = now
    this.#log.warn('telemetry.export', { message: `spans were lost: ${message}`, spans })
  }
}
