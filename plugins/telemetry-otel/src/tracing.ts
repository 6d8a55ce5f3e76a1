import { trace, ProxyTracerProvider, type Tracer } from '@opentelemetry/api'
import { OutputRedactor, type Lease, type RunContext, type SessionId } from '@amodal/sdk'
import { namesOf, type VersionedNames } from './names.ts'
import type { Settings } from './settings.ts'
import { SpanContent } from './spans/span-content.ts'
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

  readonly #settings: Settings
  readonly #mask: (text: string) => string

  /** @param mask replaces secrets in a text */
  constructor(config: Settings, mask: (text: string) => string) {
    this.names = namesOf(config.semconv)
    this.#settings = config
    this.#mask = mask
  }

  /** Contents for the spans of a turn; `undefined` where they hold none. */
  content({ scope }: RunContext): SpanContent | undefined {
    const { content, contentChars } = this.#settings
    if (content === 'off') return undefined
    const redactor = scope.find(OutputRedactor)
    return new SpanContent(contentChars, (text) => {
      const masked = this.#mask(text)
      return redactor?.text(masked) ?? masked
    })
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
