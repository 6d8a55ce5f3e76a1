import { slot, type Caller } from '@amodal/sdk'

/** Where MCP clients connect, over streamable HTTP. */
export const MCP_PATH = '/mcp'

/** A connection of lines: each is one JSON-RPC message. */
export interface McpLines {
  readonly input: AsyncIterable<string>
  readonly write: (text: string) => void
}

/** The agent as an MCP server, for who has another connection than HTTP. */
export interface McpEndpoint {
  /**
   * Serves one client until its input ends or `signal` aborts. The caller has all scopes.
   *
   * @returns once the connection is closed
   */
  serve(lines: McpLines, caller: Caller, signal: AbortSignal): Promise<void>
}
export const McpEndpoint = slot.kernel<McpEndpoint>('mcp-endpoint')
