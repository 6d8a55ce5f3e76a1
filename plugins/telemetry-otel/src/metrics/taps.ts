import {
  messageOf,
  type HookTaps,
  type Logger,
  type ModelCall,
  type RunContext,
  type StreamPart,
  type StreamTransform,
} from '@amodal/sdk'
import { TurnTraces } from '../turn-traces.ts'
import type { TurnMeasures } from './turn-measures.ts'

/** Has the hooks of a run write its metrics. A tap that fails costs a value, and no run. */
export function tapMetrics(hooks: HookTaps, log: Logger): void {
  const measured = (
    ctx: RunContext,
    work: (measures: TurnMeasures) => void,
    isFresh = false,
  ): undefined => {
    try {
      const measures = ctx.scope.get(TurnTraces).measures(ctx, isFresh)
      if (measures) work(measures)
    } catch (cause) {
      log.warn('telemetry.metric', { message: messageOf(cause) })
    }
  }
  hooks.run.start.tap((_, ctx) => measured(ctx, () => undefined, true), { stage: 'first' })
  hooks.run.end.tap(({ reason, error }, ctx) =>
    measured(ctx, (measures) => measures.runEnds(reason, error?.code)),
  )
  hooks.state.changed.tap((_, to, ctx) => {
    if (to === 'confirming') measured(ctx, (measures) => measures.end())
  })
  hooks.model.open.tap((_, call, ctx) => measured(ctx, (one) => one.modelCallBegins(call)), {
    stage: 'last',
  })
  hooks.model.stream.tap((call, ctx) => watchedStream(call, (work) => measured(ctx, work)), {
    stage: 'first',
  })
  hooks.model.done.tap((call, result, ctx) =>
    measured(ctx, (measures) => measures.modelCallEnds(call, result, ctx)),
  )
  hooks.model.failed.tap(
    (error, call, _, ctx) => measured(ctx, (one) => one.modelCallFails(call, error.code)),
    { stage: 'first' },
  )
  hooks.tool.call.tap(
    ({ id, tool: { name } }, ctx) => measured(ctx, (one) => one.toolCallBegins(id, name)),
    { stage: 'first' },
  )
  hooks.tool.guard.tap(({ level }, _, ctx) => measured(ctx, (one) => one.guardsDecide(level)), {
    stage: 'last',
  })
  hooks.journal.write.tap((entry, ctx) => {
    if (entry.kind === 'tool_outcome')
      measured(ctx, (measures) =>
        measures.toolCallEnds(
          entry.call,
          entry.ms,
          entry.status === 'success' ? undefined : (entry.code ?? 'TOOL_FAILED'),
        ),
      )
    return undefined
  })
}

/** Notes when the first part of a reply arrives, and how many of its tokens are reasoning. */
function watchedStream(
  call: ModelCall,
  measured: (work: (measures: TurnMeasures) => void) => void,
): StreamTransform {
  let hasChunk = false
  const note = (part: StreamPart): void => {
    if (!hasChunk && part.type !== 'stream-start' && part.type !== 'response-metadata') {
      hasChunk = true
      measured((measures) => measures.chunkArrives(call))
    }
    if (part.type !== 'finish') return
    const tokens = part.usage.outputTokens.reasoning ?? 0
    if (tokens > 0) measured((measures) => measures.reasons(call, tokens))
  }
  return {
    push(part) {
      note(part)
      return [part]
    },
    flush: () => [],
  }
}
