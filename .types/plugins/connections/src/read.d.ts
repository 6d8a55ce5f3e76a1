import { type AgentBundle, type Secrets } from '@amodal/sdk';
/**
 * Reads `connections/` and `mcp.servers`: the bundle with its connections, what is wrong with them, and the variables they
 * name. A connection with a file that cannot be used is left out whole, since half of its protections are none.
 */
export declare function readConnections(bundle: AgentBundle, secrets: Secrets): Promise<AgentBundle>;
