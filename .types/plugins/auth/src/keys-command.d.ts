import { type Command } from '@amodal/sdk';
/** `amodal ops keys`: makes, lists and revokes API keys. */
export declare const keysCommand: Command;
