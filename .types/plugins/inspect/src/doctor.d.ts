import { type Command } from '@amodal/sdk';
/** `amodal doctor`: whether the agent would fare well on this machine, and what keeps its code apart. */
export declare const doctorCommand: Command;
