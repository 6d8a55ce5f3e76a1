import { type AgentBundle, type BundleIssue } from '@amodal/sdk';
import type { Servers } from './servers.ts';
/**
 * Starts each MCP server and asks for its tools: a problem for each that does not offer them in time.
 *
 * @param servers for this check alone: those that serve an agent are not touched; closed at its end
 * @param limitMs for all of them together
 */
export declare function checkLive(bundle: AgentBundle, servers: Servers, limitMs: number, signal: AbortSignal): Promise<readonly BundleIssue[]>;
