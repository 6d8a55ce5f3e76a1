import type { McpManager } from '@amodal/plugin-connect-mcp';
import { SessionStore, StoreBackend, type AgentBundle, type Entry, type Logger, type Plugin } from '@amodal/sdk';
export declare const givenBundle: (bundle: AgentBundle) => Plugin;
/** A log that lacks a method would fail whoever writes a line, also those who write down why something failed. */
export declare function givenLog(logger: Logger): Plugin;
export declare function givenMcpManager(manager: McpManager): Promise<readonly Entry[]>;
/** What is asked of a `Pool` of `pg`; who has one has the package. */
export interface PgPool {
    readonly options: object;
    readonly connect: unknown;
}
export declare function givenStoreBackend(backend: StoreBackend | PgPool): Promise<readonly Entry[]>;
export declare const givenSessionStore: (store: SessionStore) => Entry;
