import type { Command } from '@amodal/sdk';
/** `amodal ops runs`: what waits for somebody to decide. What it takes is loaded when it runs. */
export declare const runsCommand: Command;
