import { type AgentBundle, type ToolDefinition } from '@amodal/sdk';
export declare const DESCRIBE_CONNECTION = "describe_connection";
/** The tool that gives the texts of one connection, for agents with more of them than fit into every prompt. */
export declare function describeConnection(bundle: AgentBundle): ToolDefinition;
