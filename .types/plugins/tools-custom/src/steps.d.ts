import { type InnerCall, type JsonObject, type Result, type ToolContext, type ToolResult } from '@amodal/sdk';
import type { Step, StepsTool } from './custom-tool.ts';
/** Methods that change nothing, by what they mean. */
export declare const isReading: ({ method }: Pick<Step, 'method'>) => boolean;
/** The requests of a tool for these arguments, as calls of the tool `request`; or why there are none. */
export declare function requestsOf({ steps }: StepsTool, args: JsonObject, now: number): Result<readonly InnerCall[], string>;
/** Makes all requests at once. A chain has an answer as long as one of its steps has. */
export declare function runSteps(tool: StepsTool, args: JsonObject, now: number, ctx: Pick<ToolContext, 'call'>): Promise<ToolResult>;
