import { type AgentBundle, type Json, type ToolDefinition } from '@amodal/sdk';
export declare const DISPATCH_TASK = "dispatch_task";
/** The tool that hands a task to a sub-agent. */
export declare function dispatchTask(bundle: AgentBundle): ToolDefinition;
export declare const isNames: (value: Json | undefined) => value is readonly string[];
