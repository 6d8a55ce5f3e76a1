import {
  isObject,
  type HookTaps,
  type Json,
  type Message,
  type ModelCall,
  type ModelSource,
  type PreparedCall,
  type RunContext,
  type ToolDefinition,
  type ToolList,
} from '@amodal/sdk'
import { memoized } from '@amodal/sdk/loop'
import { replyingWith } from '@amodal/plugin-loop/tokens'
import type { HandlerTool } from '../custom-tool.ts'
import { STARTED, type StartedCall, type StartedCalls } from './started-call.ts'

/** Whether a trigger has begun this very call. */
export function isStarted(call: PreparedCall, ctx: RunContext, calls: StartedCalls): boolean {
  if (call.outer) return false
  const started = calls.of(ctx)
  return started?.call === call.id && started.tool.name === call.tool.name
}

/**
 * Begins runs with the call of a trigger, in place of a model: with the same guards, approvals and
 * journal as a call of the model.
 */
export function tapTriggers(
  hooks: HookTaps,
  calls: StartedCalls,
  define: (tool: HandlerTool) => ToolDefinition,
): void {
  hooks.model.open.tap((source, call, ctx) => standIn(source, call, calls.of(ctx)))
  const lists = new WeakMap<ToolList, Map<string, ToolList>>()
  hooks.tools.list.tap(
    (list, ctx) => {
      const started = calls.of(ctx)
      // Afterwards the model has the tools of its agent, and no others.
      if (!started || resultOf(started, ctx.messages)) return undefined
      const { tool } = started
      return memoized(lists, list, tool.name, () => withTool(list, tool, define))
    },
    { stage: 'last' },
  )
}

function withTool(
  list: ToolList,
  { name, ...rest }: HandlerTool,
  define: (tool: HandlerTool) => ToolDefinition,
): ToolList {
  const known = list.tools.find((one) => one.name === name) ?? define({ name, ...rest })
  return Object.freeze({
    ...list,
    tools: [...list.tools.filter((one) => one.name !== name), { ...known, hidden: false }],
    ...(list.unlisted && {
      unlisted: new Set([...list.unlisted].filter((one) => one !== name)),
    }),
  })
}

function standIn(
  source: ModelSource,
  { aside, messages }: ModelCall,
  started: StartedCall | undefined,
): ModelSource | undefined {
  if (!started || aside === true) return undefined
  const result = resultOf(started, messages)
  if (result === undefined)
    return replyingWith(source, STARTED, { ...started, tool: started.tool.name })
  return started.continueToLLM || messages.at(-1)?.role !== 'tool'
    ? undefined
    : replyingWith(source, STARTED, result)
}

/** The result of the call as a text, once it is there. */
function resultOf({ call }: StartedCall, messages: readonly Message[]): string | undefined {
  for (const message of messages) {
    if (message.role !== 'tool') continue
    for (const part of message.content)
      if (part.type === 'tool-result' && part.toolCallId === call) return textOf(part.output)
  }
  return undefined
}

type Output = Extract<
  Extract<Message, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']

function textOf(output: Output): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'json':
    case 'error-json': {
      // A value that is no object stands in one.
      const value = output.value as Json // JSON of a result
      const only = isObject(value) && Object.keys(value).length === 1 ? value['result'] : undefined
      return typeof only === 'string' ? only : JSON.stringify(only ?? value, undefined, 2)
    }
    default:
      return 'The call is over.'
  }
}
