import type { HookTaps, RunContext, ToolResult } from '@amodal/sdk'
import { askGuards, type GuardParts, type Payload } from './ask-guard.ts'
import { guardsOf, type Point } from './guard.ts'
import { guardedOutput } from './guarded-output.ts'

/** Guards of one point that are asked in one tap. */
const MOST_GUARDS = 20

/**
 * Asks the guards of the agent's folder at their points. Those of a turn are asked in the
 * conversation of a person and in automations, and not around sub-agents, whose calls pass the
 * guards of tools.
 */
export function tapGuards(hooks: HookTaps, parts: GuardParts): void {
  const timeoutMs = MOST_GUARDS * (parts.handlers.limits.startMs + parts.answerMs)
  const has = (point: Point, { bundle }: Pick<RunContext, 'bundle'>): boolean =>
    guardsOf(bundle).some(({ points }) => points.includes(point))
  const isOfTurn = (point: Point, ctx: RunContext): boolean =>
    ctx.delegated !== true && has(point, ctx)
  const ask = (point: Point, payload: Payload, ctx: RunContext) =>
    askGuards(point, payload, ctx, parts)

  hooks.run.start.tap(
    async ({ text }, ctx) => {
      if (!isOfTurn('preInput', ctx)) return undefined
      const block = await ask('preInput', { shown: { text } }, ctx)
      return block && { deny: true, reason: 'error', message: block.reason }
    },
    { timeoutMs },
  )
  hooks.tool.guard.tap(
    async (verdict, { tool: { name: toolName }, args, outer }, ctx) => {
      // What a tool calls, its author has chosen, and not the model.
      if (outer || !has('preToolUse', ctx)) return undefined
      const block = await ask('preToolUse', { shown: { toolName }, io: { args } }, ctx)
      return block && verdict.raise('deny', block.reason)
    },
    { stage: 'guard', timeoutMs },
  )
  hooks.tool.result.tap(
    async (result, { tool: { name: toolName }, args, outer }, ctx) => {
      if (outer || result.status === 'asks' || !has('postToolUse', ctx)) return undefined
      const { status } = result
      const io = { args, result: outputOf(result) }
      const block = await ask('postToolUse', { shown: { toolName, status }, io }, ctx)
      return (
        block && {
          status: 'error',
          code: 'TOOL_DENIED',
          message: `The call was made, and its result is withheld: ${block.reason}`,
        }
      )
    },
    { timeoutMs },
  )
  hooks.model.open.tap(
    (source, { aside }, ctx) =>
      aside === true || !isOfTurn('preOutput', ctx)
        ? undefined
        : guardedOutput(
            source,
            async (text) => (await ask('preOutput', { shown: { text } }, ctx))?.reason,
          ),
    { stage: 'last' },
  )
  hooks.run.end.tap(
    async ({ reason, text }, ctx) => {
      // Nothing is left to block: guards of this point take note of what was done.
      if (isOfTurn('postTurn', ctx)) await ask('postTurn', { shown: { reason, text } }, ctx)
    },
    { timeoutMs },
  )
}

const outputOf = (result: Exclude<ToolResult, { readonly status: 'asks' }>) =>
  result.status === 'success' ? result.output : result.message
