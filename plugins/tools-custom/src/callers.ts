import type { PreparedCall, RunContext, Verdict } from '@amodal/sdk'
import { customTools } from './custom-tool.ts'

/** Refuses a call of a tool that only a person may run, and asks with its prompt where it has one. */
export function judgeCaller(
  verdict: Verdict,
  { tool: { name } }: PreparedCall,
  { bundle }: RunContext,
): Verdict | undefined {
  const tool = customTools(bundle).find((one) => one.name === name)
  if (tool?.callers)
    return verdict.raise('deny', `"${name}" is gated: a person runs it, and no agent`)
  return tool?.prompt === undefined ? undefined : verdict.raise('confirm', tool.prompt)
}
