import { metrics, trace, type Meter } from '@opentelemetry/api'
import {
  Agent,
  ok,
  Outbound,
  type AgentBundle,
  type Failure,
  type Generation,
  type Logger,
  type Result,
} from '@amodal/sdk'
import { Instruments } from './metrics/instruments.ts'
import type { Metering, MetricsTarget } from './metrics/metering.ts'
import { observeState } from './metrics/observed.ts'
import type { MetricExport, StartedMeters } from './sdk/meter-provider.ts'
import {
  exportSettings,
  intervalOf,
  ratioOf,
  resourceAttributes,
  type ResourceAttributes,
} from './sdk/otel-variables.ts'
import type { Settings } from './settings.ts'
import { SCOPE, type Exporting, type Tracing } from './tracing.ts'

/**
 * The name of the agent. Its files are read after this plugin has started, so that what is sent
 * waits for them.
 */
export class AgentName {
  readonly #named = Promise.withResolvers<string>()

  get name(): Promise<string> {
    return this.#named.promise
  }

  /** Only the first call counts: a process has one name. */
  use(bundle: AgentBundle | undefined): void {
    if (bundle) this.#named.resolve(bundle.manifest.name)
  }

  /** The server stops, perhaps before it has read any files. */
  close(): void {
    this.#named.resolve('amodal')
  }
}

export interface StartParts {
  readonly agentName: AgentName
  readonly config: Settings
  readonly read: (variable: string) => string | undefined
  readonly generation: () => Generation
  readonly log: Logger
}

/** What ends it. */
type Stop = () => Promise<void>

const outboundOf =
  ({ generation }: StartParts) =>
  (): Outbound | undefined =>
    generation().scope.find(Outbound)

function attributesOf({ config, read, generation, agentName }: StartParts): ResourceAttributes {
  agentName.use(generation().scope.find(Agent)?.bundle())
  return resourceAttributes(config, read, agentName.name)
}

/** Spans are recorded from now on. The SDK is loaded here, where it is needed. */
export async function startTracing(
  tracing: Tracing,
  exporting: Exclude<Exporting, 'off'>,
  parts: StartParts,
): Promise<Result<Stop, Failure>> {
  if (exporting === 'host') {
    tracing.tracer = trace.getTracer(SCOPE)
    return ok(async () => {
      tracing.tracer = undefined
    })
  }
  const exported = exportSettings(parts.config, parts.read, 'traces')
  if (!exported.ok) return exported
  const ratio = ratioOf(parts.config, parts.read)
  if (!ratio.ok) return ratio
  const { startProvider } = await import('./sdk/provider.ts')
  const provider = startProvider(
    exported.value,
    ratio.value,
    attributesOf(parts),
    outboundOf(parts),
    parts.log,
  )
  tracing.tracer = provider.tracer
  return ok(async () => {
    tracing.tracer = undefined
    parts.agentName.close()
    await provider.close()
  })
}

/** What metrics are written with: the text is there where we have a provider of our own. */
export class MeteringStart {
  readonly #metering: Metering
  #own: StartedMeters | undefined

  constructor(metering: Metering) {
    this.#metering = metering
  }

  /** The metrics of now for Prometheus; `undefined` before the start and after the end. */
  text(): Promise<string> | undefined {
    return this.#own?.text()
  }

  /** Metrics are written from now on. */
  async start(target: MetricsTarget, parts: StartParts): Promise<Result<Stop, Failure>> {
    if (target.kind === 'host') return ok(this.#write(metrics.getMeter(SCOPE), parts))
    const sent = target.otlp ? metricExport(parts) : ok(undefined)
    if (!sent.ok) return sent
    const { startMeters } = await import('./sdk/meter-provider.ts')
    const own = startMeters(attributesOf(parts), sent.value)
    this.#own = own
    const stop = this.#write(own.meter, parts)
    return ok(async () => {
      this.#own = undefined
      parts.agentName.close()
      await own.flush()
      await stop()
      await own.close()
    })
  }

  #write(meter: Meter, { generation }: StartParts): Stop {
    this.#metering.instruments = new Instruments(meter, this.#metering.names)
    const stopObserving = observeState(meter, generation)
    return async () => {
      stopObserving()
      this.#metering.instruments = undefined
    }
  }
}

function metricExport(parts: StartParts): Result<MetricExport, Failure> {
  const { config, read, log } = parts
  const settings = exportSettings(config, read, 'metrics')
  if (!settings.ok) return settings
  const interval = intervalOf(read)
  if (!interval.ok) return interval
  return ok({
    settings: settings.value,
    intervalMs: interval.value,
    outbound: outboundOf(parts),
    log,
  })
}
