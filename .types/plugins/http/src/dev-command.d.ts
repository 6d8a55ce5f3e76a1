import { type Command } from '@amodal/sdk';
/** `amodal dev`: serves the agent of a folder until it is told to stop. */
export declare const devCommand: Command;
