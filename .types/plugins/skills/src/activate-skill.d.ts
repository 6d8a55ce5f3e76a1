import { type AgentBundle, type ToolDefinition } from '@amodal/sdk';
/** The tool that gives one skill in full, for agents with more skills than fit into every prompt. */
export declare function activateSkill(bundle: AgentBundle): ToolDefinition;
