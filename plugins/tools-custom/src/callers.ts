import type { PreparedCall, RunContext, Verdict } from '@amodal/sdk'
import { customTools } from './custom-tool.ts'
import type { StartedCalls } from './triggers/started-call.ts'
import { isStarted } from './triggers/taps.ts'

/**
 * Refuses a call of a tool that only a person or a trigger may run, and asks with its prompt where
 * it has one.
 */
export function judgeCaller(
  verdict: Verdict,
  call: PreparedCall,
  ctx: RunContext,
  calls: StartedCalls,
): Verdict | undefined {
  const { name } = call.tool
  const tool = customTools(ctx.bundle).find((one) => one.name === name)
  if (tool?.callers && !mayRun(tool.callers, call, ctx, calls))
    return verdict.raise('deny', `"${name}" is gated: a person runs it, and no agent`)
  return tool?.prompt === undefined ? undefined : verdict.raise('confirm', tool.prompt)
}

const mayRun = (
  callers: 'person' | 'nobody',
  call: PreparedCall,
  ctx: RunContext,
  calls: StartedCalls,
): boolean =>
  isStarted(call, ctx, calls) && (callers === 'nobody' || calls.of(ctx)?.byPerson === true)
