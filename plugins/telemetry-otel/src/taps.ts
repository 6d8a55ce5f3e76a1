import { messageOf, type HookTaps, type Logger, type RunContext } from '@amodal/sdk'
import type { RunTrace } from './spans/run-trace.ts'
import { TurnTraces } from './turn-traces.ts'

/** Has the hooks of a run begin and end its spans. A tap that fails costs a span, and no run. */
export function tapSpans(hooks: HookTaps, log: Logger): void {
  const safely = <T>(work: () => T | undefined): T | undefined => {
    try {
      return work()
    } catch (cause) {
      log.warn('telemetry.span', { message: messageOf(cause) })
      return undefined
    }
  }
  const traced = (ctx: RunContext, work: (trace: RunTrace) => void, isFresh = false): undefined => {
    safely(() => {
      const trace = ctx.scope.get(TurnTraces).of(ctx, isFresh)
      if (trace) work(trace)
    })
  }
  hooks.run.start.tap(({ text }, ctx) => traced(ctx, (trace) => trace.messageArrives(text), true), {
    stage: 'first',
  })
  hooks.run.end.tap((outcome, ctx) =>
    traced(ctx, (trace) => trace.runEnds(outcome.reason, outcome.error?.code, outcome.usage)),
  )
  hooks.state.changed.tap((_, to, ctx) => {
    if (to === 'confirming') traced(ctx, (trace) => trace.parks())
  })
  hooks.model.call.tap(
    (call, ctx) =>
      safely(() => {
        const traceparent = ctx.scope.get(TurnTraces).of(ctx)?.traceparent()
        if (traceparent === undefined) return undefined
        const headers = { ...call.settings.headers, traceparent }
        return { ...call, settings: { ...call.settings, headers } }
      }),
    { stage: 'last' },
  )
  hooks.model.open.tap((_, call, ctx) => traced(ctx, (trace) => trace.modelCallBegins(call)), {
    stage: 'last',
  })
  hooks.model.done.tap((call, result, ctx) =>
    traced(ctx, (trace) => trace.modelCallEnds(call, result)),
  )
  hooks.model.failed.tap(
    (error, call, _, ctx) => traced(ctx, (trace) => trace.modelCallFails(call, error.code)),
    { stage: 'first' },
  )
  hooks.tool.call.tap(
    ({ id, tool: { name, readOnly }, args }, ctx) =>
      traced(ctx, (trace) =>
        trace.toolCallBegins({
          id,
          tool: name,
          args,
          ...(typeof readOnly === 'boolean' && { readOnly }),
        }),
      ),
    { stage: 'first' },
  )
  hooks.tool.guard.tap(
    ({ level, reasons }, { id }, ctx) =>
      traced(ctx, (trace) => trace.guardDecides(id, level, reasons.length)),
    { stage: 'last' },
  )
  hooks.journal.write.tap(
    (entry, ctx) => {
      if (entry.kind === 'tool_intent')
        traced(ctx, (trace) =>
          trace.toolCallBegins({ id: entry.call, tool: entry.name, args: entry.args }),
        )
      if (entry.kind === 'tool_outcome')
        traced(ctx, (trace) => {
          trace.resultArrives(entry)
          trace.toolCallEnds(
            entry.call,
            entry.status === 'success' ? undefined : (entry.code ?? 'TOOL_FAILED'),
          )
        })
      return undefined
    },
    { stage: 'last' },
  )
}
