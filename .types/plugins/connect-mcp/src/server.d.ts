import type { Tool } from '@modelcontextprotocol/client';
import { type ConnectionStatus, type JsonObject, type Logger, type Outbound, type Secrets, type ToolContext, type ToolResult } from '@amodal/sdk';
import type { Settings } from './settings.ts';
import type { Reaper } from './reaper.ts';
import { ServerLog } from './server-log.ts';
import type { ServerSpec } from './server-spec.ts';
export interface ServerParts {
    readonly name: string;
    readonly spec: ServerSpec;
    readonly cwd: string | undefined;
    readonly settings: Settings;
    readonly secrets: Secrets;
    readonly outbound: Outbound;
    readonly reaper: Reaper;
    readonly log: Logger;
}
export interface Asked {
    /** The name that the model knows it by. */
    readonly as: string;
    readonly tool: Tool;
    readonly args: JsonObject;
    readonly readOnly: boolean;
}
/** One MCP server of the agent: kept connected from `start` to `close`, whatever becomes of it in between. */
export declare class Server {
    #private;
    readonly name: string;
    readonly spec: ServerSpec;
    constructor(parts: ServerParts);
    get status(): ConnectionStatus;
    get protocol(): string | undefined;
    /** As they were told last: a server that comes back in a moment does not change what the model sees. */
    get tools(): readonly Tool[];
    /** Another text, where its tools are others. */
    get revision(): string;
    /** How it wants to be used: a stranger's words, cut and cleaned. */
    get instructions(): string;
    /** The newest lines of its standard error, and messages that it has sent. */
    get said(): Pick<ServerLog, 'lines' | 'messages'>;
    /** Until the first try to connect is over, or is not worth waiting for. */
    get settled(): Promise<void> | undefined;
    /** The first try to connect is over, however it went. */
    get tried(): Promise<void>;
    start(): void;
    /** Closes it once nobody calls it any more. */
    retire(ms: number): Promise<void>;
    close(): Promise<void>;
    /** The run is over: nobody goes on with calls of it that wait for a person. */
    release(run: string): void;
    /** Makes one call. A server that has certainly not seen it is asked a second time. */
    call(asked: Asked, ctx: ToolContext): Promise<ToolResult>;
}
