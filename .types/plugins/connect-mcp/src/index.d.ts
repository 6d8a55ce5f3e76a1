export { mcpManager, type McpManager } from './mcp-manager.ts';
/** Tools of MCP servers: child processes, SSE and streamable HTTP, as `connections/<name>/spec.json` and `mcp.servers` name them. */
export declare const connectMcp: import("@amodal/sdk").Plugin;
export default connectMcp;
