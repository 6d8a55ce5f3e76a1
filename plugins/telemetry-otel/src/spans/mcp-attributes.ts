import type { Attributes } from '@opentelemetry/api'
import { NAMES } from '../names.ts'
import type { McpRequest } from '../tokens.ts'

/**
 * The name of the span of a request, after the conventions for MCP.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */
export const mcpSpanName = ({ method, tool, prompt }: McpRequest): string =>
  [method, tool ?? prompt].filter((part) => part !== undefined).join(' ')

export const mcpAttributes = (request: McpRequest): Attributes => ({
  [NAMES.mcpMethod]: request.method,
  [NAMES.networkTransport]: request.transport,
  ...(request.tool !== undefined && {
    [NAMES.operation]: 'execute_tool',
    [NAMES.tool]: request.tool,
  }),
  ...(request.prompt !== undefined && { [NAMES.prompt]: request.prompt }),
  ...(request.protocol !== undefined && { [NAMES.mcpProtocol]: request.protocol }),
  ...(request.session !== undefined && { [NAMES.mcpSession]: request.session }),
})
