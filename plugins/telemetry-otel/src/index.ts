import { trace } from '@opentelemetry/api'
import { Agent, definePlugin, Outbound, PluginError, Secrets, SessionFacts } from '@amodal/sdk'
import { tapMessages, tracedOutbound } from './propagation.ts'
import { endpointOf, exportSettings, isDisabled } from './sdk/otel-variables.ts'
import { settings } from './settings.ts'
import { TurnTrace } from './spans/turn-trace.ts'
import { tapSpans } from './taps.ts'
import { TurnTraces } from './tokens.ts'
import { exportingOf, SCOPE, Tracing } from './tracing.ts'

/**
 * Traces runs for OpenTelemetry: agents, model calls, tool calls and sub-agents, after the
 * conventions for generative AI. `OTEL_EXPORTER_OTLP_ENDPOINT` turns it on.
 */
export const telemetryOtel = definePlugin({
  name: 'telemetry-otel',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'] },
  requires: { secrets: Secrets },
  provides: [TurnTraces],
  decorates: [Outbound],
  config: settings,
  setup({ name, config, deps: { secrets }, hooks, provide, decorate, onBoot, generation, log }) {
    const read = (variable: string): string | undefined => secrets.get(variable)
    const tracing = new Tracing(config)
    provide(TurnTraces, (scope) => {
      const turn = new TurnTrace(tracing)
      const { session } = scope.get(SessionFacts)
      scope.onClose(() => turn.close(session))
      return turn
    })
    const isConfigured = endpointOf(config, read) !== undefined
    const exporting = exportingOf(config, isDisabled(secrets), isConfigured)
    if (exporting === 'off') return
    tapMessages(hooks, tracing)
    tapSpans(hooks, log)
    decorate(Outbound, (outbound) => tracedOutbound(outbound, tracing))
    onBoot(async () => {
      if (exporting === 'host') {
        tracing.tracer = trace.getTracer(SCOPE)
        return () => {
          tracing.tracer = undefined
        }
      }
      const exported = exportSettings(config, read)
      if (!exported.ok)
        throw new PluginError(name, 'boot', name, new Error(exported.error.message), 'BAD_CONFIG')
      const { startProvider } = await import('./sdk/provider.ts')
      const { scope } = generation()
      const service = scope.find(Agent)?.bundle()?.manifest.name ?? 'amodal'
      const provider = startProvider(exported.value, service, () => scope.find(Outbound), log)
      tracing.tracer = provider.tracer
      return async () => {
        tracing.tracer = undefined
        await provider.close()
      }
    })
  },
})

export default telemetryOtel
