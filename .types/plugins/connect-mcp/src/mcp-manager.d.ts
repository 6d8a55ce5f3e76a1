import { type Connection, type Plugin } from '@amodal/sdk';
/** Who has connected to MCP servers already, such as the program around an embedded agent. */
export interface McpManager {
    /** What the servers offer now; asked at the start of each turn. */
    getDiscoveredTools(): readonly {
        /** What `callTool` takes. */
        readonly name: string;
        readonly serverName: string;
        /** The server's own name for it; `name` where it is left out. */
        readonly originalName?: string;
        readonly description?: string;
        /** JSON Schema of its arguments. */
        readonly parameters: object;
    }[];
    callTool(name: string, args: Record<string, unknown>): Promise<{
        readonly content?: readonly object[];
        readonly structuredContent?: unknown;
        readonly isError?: boolean;
    }>;
}
/**
 * Gives the agent the tools of servers that somebody else keeps connected: under the same names and through the same
 * guards as those of `connections/`. Every call asks a person. Connecting, and closing, is the manager's own business; a
 * connection of the agent's files that has the name of a server wins over it.
 */
export declare function mcpManager(manager: McpManager): Plugin;
/** Of a server that somebody else keeps connected: there is nothing to start. */
export declare const isGiven: ({ spec }: Connection) => boolean;
