import { type HookTaps, type Logger, type RunContext, trySync } from '@amodal/sdk'
import { lineOf } from './line-of.ts'

/** A hook is tapped only where its lines are written: at another level it costs the run nothing. */
export function activityHooks(
  { event, journal, model, run, state, tool }: HookTaps,
  log: Logger,
): void {
  const writes = (level: 'info' | 'debug' | 'trace'): boolean => log.enabled?.(level) ?? true
  if (writes('info')) {
    event.runtime.tap((runtimeEvent, { tenant }) => {
      switch (runtimeEvent.type) {
        case 'session_created':
          return log.info('session_started', { session: runtimeEvent.sessionId, tenant })
        case 'session_deleted':
          return log.info('session_removed', { session: runtimeEvent.sessionId, tenant })
        case 'store_updated':
          return log.debug('store_written', {
            store: runtimeEvent.storeName,
            operation: runtimeEvent.operation,
            count: runtimeEvent.count,
            tenant,
          })
        default:
          return undefined
      }
    })
  }
  if (writes('debug')) {
    journal.write.tap(
      (entry, ctx) => {
        const line = lineOf(entry)
        // An exception in this hook would end the run, and no log is worth that.
        if (line)
          trySync(
            () => log.debug(line.event, { ...line.facts, ...placeOf(ctx) }),
            () => undefined,
          )
        return undefined
      },
      { stage: 'last' },
    )
    // Calls that tools make have no entries of their own.
    tool.done.tap(({ id, tool: { name }, outer }, { status }, ctx) => {
      if (outer)
        log.debug('tool_call', {
          tool: name,
          status,
          by: outer.tool.name,
          call: id,
          ...placeOf(ctx),
        })
    })
    model.done.tap(({ tier, config, step, attempt, aside }, { finish, ms, usage, calls }, ctx) => {
      log.debug('model_call', {
        provider: config.provider,
        model: config.model,
        status: finish,
        ms,
        input_tokens: usage.input,
        cached_tokens: usage.cacheRead,
        output_tokens: usage.output,
        tool_calls: calls.length,
        tier,
        step,
        attempt,
        ...(aside && { aside }),
        ...placeOf(ctx),
      })
    })
    run.end.tap(({ reason, ms, steps, usage, error }, ctx) => {
      log.debug('run_ended', {
        status: reason,
        ms,
        steps,
        input_tokens: usage.input,
        output_tokens: usage.output,
        ...(error && { code: error.code }),
        ...placeOf(ctx),
      })
    })
  }
  if (writes('trace')) {
    tool.guard.tap(
      (verdict, { id, tool: { name }, action }, ctx) => {
        log.trace('tool_guarded', {
          tool: name,
          verdict: verdict.level,
          call: id,
          ...(action && { connection: action.connection, method: action.method }),
          ...placeOf(ctx),
        })
        return undefined
      },
      { stage: 'last' },
    )
    state.changed.tap((from, to, ctx) => {
      log.trace('state_changed', { from, to, step: ctx.step, ...placeOf(ctx) })
    })
  }
}

const placeOf = ({ session, run, tenant }: RunContext) => ({ session, run, tenant })
