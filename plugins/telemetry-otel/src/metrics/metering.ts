import { createNoopMeter, metrics } from '@opentelemetry/api'
import { namesOf, type VersionedNames } from '../names.ts'
import { endpointOf, exportersOf } from '../sdk/otel-variables.ts'
import type { Settings } from '../settings.ts'
import { SCOPE } from '../tracing.ts'
import type { Instruments } from './instruments.ts'

/** Where metrics go: to the provider of the process, or to readers of our own. */
export type MetricsTarget =
  | { readonly kind: 'host' }
  | { readonly kind: 'own'; readonly otlp: boolean; readonly prometheus: boolean }

/** What all turns of this process share for metrics. */
export class Metering {
  readonly names: VersionedNames
  /** `undefined` until the SDK has started, and after it has stopped. */
  instruments: Instruments | undefined

  constructor({ semconv }: Settings) {
    this.names = namesOf(semconv)
  }
}

/** Whether the process has registered a meter provider with the OpenTelemetry API. */
const hasHostProvider = (): boolean => metrics.getMeter(SCOPE) !== createNoopMeter()

/** @returns `undefined` where nothing is measured */
export function metricsTarget(
  settings: Settings,
  read: (variable: string) => string | undefined,
): MetricsTarget | undefined {
  const { sdk } = settings
  const exporters = exportersOf('metrics', read)
  const canUseHost = sdk === 'auto' || sdk === 'host'
  if (canUseHost && !exporters.includes('none') && hasHostProvider()) return { kind: 'host' }
  const otlp =
    (sdk === 'auto' || sdk === 'own') &&
    exporters.includes('otlp') &&
    endpointOf(settings, read, 'metrics') !== undefined
  const prometheus = settings.prometheus ?? exporters.includes('prometheus')
  return otlp || prometheus ? { kind: 'own', otlp, prometheus } : undefined
}
