import { type AgentBundle, type Connection, type ConnectionStatus, type Logger, type Outbound, type Secrets, type ToolDefinition } from '@amodal/sdk';
import { Server } from './server.ts';
import type { Settings } from './settings.ts';
/** A connection with its server; without one, its spec is of no use. */
export interface Served {
    readonly connection: Connection;
    readonly server?: Server;
    readonly error?: string;
}
/** A tool, the name it goes by, and what it is for the model. */
export interface ServedTool {
    readonly server: Server;
    readonly name: string;
    readonly tool: Server['tools'][number];
    readonly definition: ToolDefinition;
}
/** The MCP servers of the agent's files. Those that did not change are kept from bundle to bundle. */
export declare class Servers {
    #private;
    constructor(settings: Settings, secrets: Secrets, outbound: Outbound, log: Logger);
    /** Takes these files: what is new begins to connect, what is gone ends once its calls are over. */
    use(bundle: AgentBundle): readonly Served[];
    /** The tools of all servers, as they are known now. Names are as good as unique: the second of two gets a mark. */
    list(bundle: AgentBundle): readonly ServedTool[];
    revision(bundle: AgentBundle): string;
    settled(bundle: AgentBundle): Promise<void> | undefined;
    statuses(bundle: AgentBundle): readonly ConnectionStatus[];
    /** A run is over: nobody goes on with calls of it that wait for a person. */
    release(run: string): void;
    close(): Promise<void>;
}
