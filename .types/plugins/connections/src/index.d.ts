/** Reads what the agent reaches outside, and what it may do there: `connections/` and `mcp.servers`. */
export declare const connections: import("@amodal/sdk").Plugin;
export default connections;
