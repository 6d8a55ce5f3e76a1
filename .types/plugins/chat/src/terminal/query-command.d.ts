import type { Command } from '@amodal/sdk';
/** `amodal test-query`: asks the agent one thing and ends. What it takes to ask is loaded when it runs. */
export declare const queryCommand: Command;
