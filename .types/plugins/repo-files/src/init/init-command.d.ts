import type { Command, Generation } from '@amodal/sdk';
/** `amodal init`: makes the folder of a new agent. */
export declare function initCommand(generation: () => Generation): Command;
