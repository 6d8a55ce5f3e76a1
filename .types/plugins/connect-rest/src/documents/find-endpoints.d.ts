import { type AgentBundle, type ApiEndpoint, type ToolDefinition } from '@amodal/sdk';
export declare const FIND_ENDPOINTS = "find_endpoints";
/** The tool that searches API documents; none where there are none. */
export declare function findEndpointTools(bundle: AgentBundle): readonly ToolDefinition[];
/** Endpoints that share words with a query, the best first; of equals those that are not deprecated, then in their order. */
export declare function searchEndpoints(endpoints: readonly ApiEndpoint[], query: string): readonly ApiEndpoint[];
