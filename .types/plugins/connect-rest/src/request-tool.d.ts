import { type AgentBundle, type Connection, type RestSpec, type ToolDefinition } from '@amodal/sdk';
import type { RestClient } from './rest-client.ts';
export declare const REQUEST = "request";
type Rest = Connection & {
    readonly rest: RestSpec;
};
/** HTTP connections of an agent. */
export declare const restConnections: (bundle: AgentBundle) => readonly Rest[];
/** The tool that calls HTTP connections; none where there are none. */
export declare function requestTools(bundle: AgentBundle, client: RestClient, trustContext: boolean): readonly ToolDefinition[];
export {};
