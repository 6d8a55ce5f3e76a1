import { type AgentBundle, type Entry, type Logger, type SessionStore, type Agent, type StoreBackend } from '@amodal/sdk';
import type { McpManager } from '@amodal/plugin-connect-mcp';
import { type RuntimeSettings } from '@amodal/plugin-loop';
import { type ModelChoice } from './given-model.ts';
import { type PgPool } from './given-services.ts';
import { type AgentSession } from './session.ts';
import { type StreamHooks } from './stream-hooks.ts';
export interface AgentConfig extends ModelChoice {
    /** Folder of the agent. */
    readonly repoPath?: string;
    /** The agent's files, given in code: see `defineBundle`. */
    readonly bundle?: AgentBundle;
    /** Keeps documents: a store of yours, or a `Pool` of `pg`, whose database gets the tables (the pool stays yours to close). In memory where it is left out. */
    readonly storeBackend?: StoreBackend | PgPool;
    /** Keeps sessions; in memory where it is left out. */
    readonly sessionStore?: SessionStore;
    /** Who has connected to MCP servers already: its tools are the agent's, too, and asked about like others. It stays yours to close. */
    readonly mcpManager?: McpManager;
    readonly logger?: Logger;
    /** ms without a message until a session is idle, and again until its history is deleted; 0: never. An hour where it is left out. */
    readonly sessionTtlMs?: number;
    readonly streamHooks?: StreamHooks;
    /** What the agent sees of the environment, such as `process.env`; nothing where it is left out. */
    readonly env?: Readonly<Record<string, string | undefined>>;
    /** More plugins, replacements and removals: `[use(weather), without('knowledge')]`. */
    readonly plugins?: readonly Entry[];
    readonly settings?: Partial<RuntimeSettings>;
}
/** Who a session is for, as your own process has found out. */
export interface User {
    readonly userId?: string;
    /** Whose data; one tenant for all where it is left out. */
    readonly tenant?: string;
    /** What may be used: names of role files. */
    readonly roles?: readonly string[];
}
export interface EmbeddedAgent {
    /** A new session. Nothing of it is kept before its first message. */
    createSession(user?: User): Promise<AgentSession>;
    /** `null` where this tenant has no such session; with a `userId`, also where it is somebody else's. */
    resumeSession(id: string, user?: User): Promise<AgentSession | null>;
    /** What the model is told before the first message. */
    getSystemPrompt(): Promise<string>;
    getBundle(): AgentBundle | undefined;
    /** The whole agent, for whatever these methods do not cover. */
    readonly agent: Agent;
    /** Waits for what is under way, and lets go of everything. */
    shutdown(): Promise<void>;
}
/**
 * Runs an agent inside your own process: no server, sessions and documents in memory unless you say otherwise.
 *
 * @throws where the configuration has a field that nothing reads, and where the plugins, the agent's files or the model cannot be used, with every reason and its fix
 * @example
 * const agent = await createAgent({ repoPath: './my-agent', provider: 'groq', apiKey: process.env.GROQ_API_KEY })
 * const session = await agent.createSession({ userId: 'u1' })
 * for await (const event of session.stream('What is open?')) if (event.type === 'text_delta') process.stdout.write(event.content)
 * await agent.shutdown()
 * @see sdk-overview
 */
export declare function createAgent(config?: AgentConfig): Promise<EmbeddedAgent>;
