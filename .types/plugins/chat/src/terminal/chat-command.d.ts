import type { Command } from '@amodal/sdk';
/** `amodal chat`: talks to the agent of a folder, or to a server. What it takes to talk is loaded with the first word. */
export declare const chatCommand: Command;
