import { type AgentBundle, type ToolDefinition } from '@amodal/sdk';
export declare const LOAD_KNOWLEDGE = "load_knowledge";
/** The tool that gives documents, for agents that know more than fits into every prompt. */
export declare function loadKnowledge({ knowledge }: AgentBundle): ToolDefinition;
