import type { Tracer } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { atMost, type Logger, type Outbound } from '@amodal/sdk'
import { SCOPE } from '../tracing.ts'
import type { ExportSettings } from './otel-variables.ts'
import { OutboundExporter } from './outbound-exporter.ts'

/** ms in which the last spans are sent when the server stops. */
const FLUSH_MS = 2_000

export interface StartedProvider {
  readonly tracer: Tracer
  close(): Promise<void>
}

/** Starts a tracer provider of our own; it is not registered with the OpenTelemetry API. */
export function startProvider(
  settings: ExportSettings,
  service: string,
  outbound: () => Outbound | undefined,
  log: Logger,
): StartedProvider {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      ...settings.attributes,
      'service.name': settings.service ?? service,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OutboundExporter(outbound, settings, log),
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
