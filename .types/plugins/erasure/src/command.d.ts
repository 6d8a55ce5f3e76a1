import { type Command } from '@amodal/sdk';
/** `amodal ops erase --principal NAME [--tenant T] [--dry-run]`. */
export declare const eraseCommand: Command;
