import { type JsonObject } from '@amodal/sdk';
import { type Issues, type JsonFile, type Path } from '@amodal/sdk/files';
/**
 * Checks the spec of an MCP connection, in a file of its own or in `mcp.servers`.
 *
 * @returns it as read, with its transport said
 */
export declare function readMcpSpec(json: JsonFile, at: Path, issues: Issues): JsonObject | undefined;
