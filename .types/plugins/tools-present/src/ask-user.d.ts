import { type ToolDefinition } from '@amodal/sdk';
/** Parks the run until a person has answered; the answer is the outcome of the call. */
export declare function askUser(questionSeconds: number): ToolDefinition;
