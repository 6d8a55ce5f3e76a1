import type { Meter } from '@opentelemetry/api'
import { JsonMetricsSerializer, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  MeterProvider,
  MetricReader,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics'
import { atMost, type Logger, type Outbound } from '@amodal/sdk'
import { prometheusText } from '../prometheus/text.ts'
import { SCOPE } from '../tracing.ts'
import type { ExportSettings, ResourceAttributes } from './otel-variables.ts'
import { OutboundExporter, type Encoding } from './outbound-exporter.ts'

/** ms in which the last values are sent when the server stops. */
const FLUSH_MS = 2_000
/** ms that metrics may wait for the name of the agent. */
const NAME_MS = 1_000
/** Time series of one instrument; values of further ones are summed up in one. */
const MOST_SERIES = 1_000

const METRICS: Encoding<ResourceMetrics> = {
  noun: 'metrics',
  json: (metrics) => JsonMetricsSerializer.serializeRequest(metrics),
  protobuf: (metrics) => ProtobufMetricsSerializer.serializeRequest(metrics),
}

export interface StartedMeters {
  readonly meter: Meter
  /** The values of now as text for Prometheus. */
  text(): Promise<string>
  /** Sends the values of now, while everything that is observed is still there. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Read when a client requests it. */
class OnDemandReader extends MetricReader {
  constructor() {
    super({ cardinalitySelector: () => MOST_SERIES })
  }
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** How metrics are sent to an OTLP receiver. */
export interface MetricExport {
  readonly settings: ExportSettings
  readonly intervalMs: number
  readonly outbound: () => Outbound | undefined
  readonly log: Logger
}

/**
 * Starts a meter provider of our own; it is not registered with the OpenTelemetry API.
 *
 * @param sent left out: nothing is sent, and metrics are read with `text` alone
 */
export function startMeters(
  attributes: ResourceAttributes,
  sent: MetricExport | undefined,
): StartedMeters {
  const reader = new OnDemandReader()
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ ...attributes }),
    readers: [reader, ...(sent ? [periodicReader(sent)] : [])],
  })
  return {
    meter: provider.getMeter(SCOPE),
    text: async () => {
      const { resourceMetrics } = await reader.collect()
      await atMost(
        NAME_MS,
        resourceMetrics.resource.waitForAsyncAttributes?.() ?? Promise.resolve(),
      )
      return prometheusText(resourceMetrics)
    },
    flush: async () => {
      await atMost(FLUSH_MS, provider.forceFlush())
    },
    close: async () => {
      await atMost(FLUSH_MS, provider.shutdown())
    },
  }
}

function periodicReader({ settings, intervalMs, outbound, log }: MetricExport): MetricReader {
  return new PeriodicExportingMetricReader({
    exporter: new OutboundExporter(outbound, settings, METRICS, log),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: Math.min(intervalMs, settings.timeoutMs),
    cardinalityLimits: { default: MOST_SERIES },
  })
}
