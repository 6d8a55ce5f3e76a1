import type { AgentBundle, ToolDefinition } from '@amodal/sdk';
/** Whether a tool changes only what is the agent's own: its stores and notes. What is kept there is somebody else's again once it is read. */
export declare function staysInside({ name }: ToolDefinition, { stores }: AgentBundle, more: readonly string[]): boolean;
