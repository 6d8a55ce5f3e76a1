import { type Command } from '@amodal/sdk';
/** `amodal inspect`: what the model is sent, and what the agent is made of. */
export declare const inspectCommand: Command;
