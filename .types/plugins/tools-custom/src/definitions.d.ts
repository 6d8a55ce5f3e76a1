import { type Clock, type ToolDefinition } from '@amodal/sdk';
import type { CustomTool } from './custom-tool.ts';
import type { HandlerParts } from './handler-tool.ts';
export interface DefinitionParts extends HandlerParts {
    readonly clock: Clock;
}
/** What the loop calls. */
export declare function definitionOf(tool: CustomTool, parts: DefinitionParts): ToolDefinition;
