import {
  sleep,
  type JsonObject,
  type ToolContext,
  type ToolDefinition,
  type ToolList,
  type ToolResult,
} from '@amodal/sdk'
import { boundOutbound } from '@amodal/sdk/loop'
import type { StubPlayer } from './stub-player.ts'
import { partPath } from '@amodal/sdk/files'

/** What stands in for the tools of a trial, and where it is told what no stub answers. */
export interface Stubbing {
  readonly stubs: StubPlayer
  readonly problems: string[]
}

/** The code of a call that no stub answers. */
export const UNSTUBBED = 'EVAL_CALL_UNSTUBBED'

/**
 * The agent's tools as a trial has them: what reaches outside is answered by stubs, and what works
 * on the tenant's own data is called. Names, parameters, actions and so all guards stay.
 */
export function stubbedTools(list: ToolList, trial: Stubbing): ToolList {
  return { ...list, tools: list.tools.map((tool) => stubbed(tool, trial)) }
}

/**
 * Whether a tool may act outside of the tenant's own data: it says so, or its code is the agent's.
 */
export const reachesOut = (tool: ToolDefinition): boolean =>
  tool.action !== undefined || partPath(tool.file ?? '').startsWith('tools/')

function stubbed(tool: ToolDefinition, trial: Stubbing): ToolDefinition {
  const execute = async (args: JsonObject, ctx: ToolContext): Promise<ToolResult> => {
    const stub = trial.stubs.answer(tool.name, args)
    switch (stub.kind) {
      case 'real':
        return tool.execute(args, ctx)
      case 'answer': {
        const { delayMs, outcome } = stub.answer
        if (delayMs > 0) await sleep(delayMs, ctx.signal)
        return outcome.kind === 'result'
          ? { status: 'success', output: outcome.output }
          : { status: 'error', message: outcome.message, code: outcome.code ?? 'TOOL_FAILED' }
      }
      case 'unmatched':
        return refused(trial, tool.name, args, 'none of the answers of its stub fits')
      case 'undeclared':
        return reachesOut(tool)
          ? refused(trial, tool.name, args, 'it reaches outside and has no stub')
          : tool.execute(args, withoutWayOut(ctx))
    }
  }
  return { ...tool, execute }
}

function refused(trial: Stubbing, name: string, args: JsonObject, why: string): ToolResult {
  const call = `${name}(${JSON.stringify(args).slice(0, 300)})`
  trial.problems.push(`${call}: ${why}`)
  return {
    status: 'error',
    code: UNSTUBBED,
    message: `This call is not answered in this test: ${why}.`,
  }
}

/** A tool that is called itself sends nothing, whatever it tries. */
const withoutWayOut = (ctx: ToolContext): ToolContext => ({
  ...ctx,
  outbound: boundOutbound(() => undefined, { lease: ctx.lease, signal: ctx.signal }),
})
