import type { Tracer } from '@opentelemetry/api'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace'
import { atMost, type Logger, type Outbound } from '@amodal/sdk'
import { SCOPE } from '../tracing.ts'
import type { ExportSettings, ResourceAttributes } from './otel-variables.ts'
import { OutboundExporter, type Encoding } from './outbound-exporter.ts'

/** ms in which the last spans are sent when the server stops. */
const FLUSH_MS = 2_000

const SPANS: Encoding<ReadableSpan[]> = {
  noun: 'spans',
  json: (spans) => JsonTraceSerializer.serializeRequest(spans),
  protobuf: (spans) => ProtobufTraceSerializer.serializeRequest(spans),
}

export interface StartedProvider {
  readonly tracer: Tracer
  close(): Promise<void>
}

/** Starts a tracer provider of our own; it is not registered with the OpenTelemetry API. */
export function startProvider(
  settings: ExportSettings,
  ratio: number,
  attributes: ResourceAttributes,
  outbound: () => Outbound | undefined,
  log: Logger,
): StartedProvider {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...attributes }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OutboundExporter(outbound, settings, SPANS, log),
        maxQueueSize: 4_096,
        maxExportBatchSize: 512,
        scheduledDelayMillis: 1_000,
        exportTimeoutMillis: settings.timeoutMs,
      }),
    ],
  })
  return {
    tracer: provider.getTracer(SCOPE),
    close: async () => {
      await atMost(FLUSH_MS, provider.shutdown())
    },
  }
}
