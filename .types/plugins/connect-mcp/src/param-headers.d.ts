import { type JsonObject } from '@amodal/sdk';
/**
 * Why a tool must not be offered over HTTP: it wants an argument mirrored into a header (`Mcp-Param-…`) in a way that the
 * protocol rules out.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
 */
export declare function badHeaderIn(schema: JsonObject): string | undefined;
