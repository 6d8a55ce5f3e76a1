import {
  ok,
  type JsonObject,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'

type Execute = (args: JsonObject, ctx: ToolContext) => ToolResult | Promise<ToolResult>

const tool = (
  name: string,
  readOnly: boolean,
  execute: Execute,
  more: Partial<ToolDefinition>,
): ToolDefinition => ({
  name,
  description: name,
  parameters: { type: 'object', properties: { v: {} } },
  parse: (args) => ok(args),
  readOnly,
  execute: async (args, ctx) => execute(args, ctx),
  ...more,
})

/** A tool that only looks. */
export const reads = (
  name: string,
  execute: Execute = ({ v = null }) => success(v),
  more: Partial<ToolDefinition> = {},
): ToolDefinition => tool(name, true, execute, more)

/** A tool with an effect. */
export const writes = (
  name: string,
  execute: Execute = ({ v = null }) => success(v),
  more: Partial<ToolDefinition> = {},
): ToolDefinition => tool(name, false, execute, more)

export const success = (
  output: Extract<ToolResult, { status: 'success' }>['output'],
): ToolResult => ({ status: 'success', output })
