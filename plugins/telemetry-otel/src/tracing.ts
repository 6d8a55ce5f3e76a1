import { trace, ProxyTracerProvider, type Tracer } from '@opentelemetry/api'
import type { Lease, SessionId } from '@amodal/sdk'
import { namesOf, type VersionedNames } from './names.ts'
import type { Settings } from './settings.ts'
import type { RunTrace } from './spans/run-trace.ts'

export const SCOPE = '@amodal/plugin-telemetry-otel'

/** Who exports spans. */
export type Exporting = 'own' | 'host' | 'off'

/** What all turns of this process share: the tracer, and the turns that are traced now. */
export class Tracing {
  readonly names: VersionedNames
  /** `undefined` until the SDK has started, and after it has stopped. */
  tracer: Tracer | undefined
  readonly byLease = new WeakMap<Lease, RunTrace>()
  readonly bySession = new Map<SessionId, RunTrace>()

  constructor({ semconv }: Settings) {
    this.names = namesOf(semconv)
  }
}

/** Whether the process has registered a tracer provider with the OpenTelemetry API. */
function hasHostProvider(): boolean {
  const provider = trace.getTracerProvider()
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer(SCOPE) !== undefined
    : true
}

/** @param isConfigured an endpoint is set */
export function exportingOf(
  { sdk }: Settings,
  isDisabled: boolean,
  isConfigured: boolean,
): Exporting {
  if (sdk === 'off' || isDisabled) return 'off'
  if (sdk !== 'auto') return sdk
  if (hasHostProvider()) return 'host'
  return isConfigured ? 'own' : 'off'
}
