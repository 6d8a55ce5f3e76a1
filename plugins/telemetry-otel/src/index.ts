import {
  definePlugin,
  Outbound,
  PluginError,
  Secrets,
  SessionFacts,
  type Failure,
  type Result,
} from '@amodal/sdk'
import { LineFacts } from '@amodal/plugin-log-json/tokens'
import { Metering, metricsTarget } from './metrics/metering.ts'
import { tapMetrics } from './metrics/taps.ts'
import { metricsRoute, PREFIX } from './prometheus/route.ts'
import { tapMessages, tracedOutbound } from './propagation.ts'
import { endpointOf, exportersOf, isDisabled } from './sdk/otel-variables.ts'
import { settings } from './settings.ts'
import { TurnTrace } from './spans/turn-trace.ts'
import { AgentName, MeteringStart, startTracing } from './start.ts'
import { tapSpans } from './taps.ts'
import { McpTraces } from './tokens.ts'
import { exportingOf, Tracing } from './tracing.ts'
import { TurnTraces } from './turn-traces.ts'

/**
 * Traces and measures runs for OpenTelemetry: agents, model calls, tool calls and sub-agents, after
 * the conventions for generative AI. `OTEL_EXPORTER_OTLP_ENDPOINT` turns it on; `prometheus` serves
 * metrics at `GET /metrics`.
 */
export const telemetryOtel = definePlugin({
  name: 'telemetry-otel',
  version: '0.1.0',
  reaches: { hosts: ['*'], secrets: ['*'] },
  requires: { secrets: Secrets },
  provides: [TurnTraces, McpTraces],
  decorates: [Outbound],
  config: settings,
  setup({
    name,
    config,
    deps: { secrets },
    hooks,
    add,
    provide,
    decorate,
    onBoot,
    generation,
    log,
  }) {
    const read = (variable: string): string | undefined => secrets.get(variable)
    const tracing = new Tracing(config, (text) => secrets.mask(text))
    const metering = new Metering(config)
    provide(TurnTraces, (scope) => {
      const turn = new TurnTrace(tracing, metering)
      const { session } = scope.get(SessionFacts)
      scope.onClose(() => turn.close(session))
      return turn
    })
    provide(McpTraces, (scope) => ({
      begin: (request) => scope.get(TurnTraces).begun?.mcpRequestBegins(request),
    }))
    if (isDisabled(secrets)) return
    const agentName = new AgentName()
    hooks.bundle.used.tap((bundle) => agentName.use(bundle))
    const parts = { config, read, generation, log, agentName }
    const started = <T>(result: Result<T, Failure>): T => {
      if (result.ok) return result.value
      throw new PluginError(name, 'boot', name, new Error(result.error.message), 'BAD_CONFIG')
    }

    const exporting = exportingOf(
      config,
      exportersOf('traces', read).includes('none'),
      endpointOf(config, read, 'traces') !== undefined,
    )
    if (exporting !== 'off') {
      tapMessages(hooks, tracing)
      tapSpans(hooks, log)
      decorate(Outbound, (outbound) => tracedOutbound(outbound, tracing))
      add(LineFacts, name, (session) => tracing.bySession.get(session)?.ids())
      onBoot(async () => started(await startTracing(tracing, exporting, parts)))
    }

    const target = metricsTarget(config, read)
    if (!target) return
    const meters = new MeteringStart(metering)
    tapMetrics(hooks, log)
    if (target.kind === 'own' && target.prometheus)
      hooks.http.routes.tap((table) =>
        table.mount(
          PREFIX,
          metricsRoute(() => meters.text()),
          { exact: true, scope: 'metrics' },
        ),
      )
    onBoot(async () => started(await meters.start(target, parts)))
  },
})

export default telemetryOtel
