import type { Tool } from '@modelcontextprotocol/client';
import { type AccessTier, type Connection, type ToolDefinition } from '@amodal/sdk';
import type { Server } from './server.ts';
import { type Mask } from './untrusted.ts';
/**
 * A tool of a server as the agent has it, or why it has not. What its server says of it is a stranger's word: it is
 * cleaned, freed of secrets and cut, and its marks count only where the connection says `trust`.
 */
export declare function toolOf(name: string, tool: Tool, server: Server, connection: Connection, callMs: number, mask: Mask): ToolDefinition | string;
/**
 * The least approval that a call needs. A rule that names the tool decides; without one, what reads on a trusted
 * server runs, and anything else asks, whatever the default for unlisted ones may allow.
 */
export declare function tierOf({ access, accessGiven }: Connection, tool: string, readOnly: boolean): AccessTier;
