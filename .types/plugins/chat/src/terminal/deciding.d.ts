import { type CommandContext } from '@amodal/sdk';
/** Lists what waits for a decision, and carries one out. */
export declare function deciding(context: CommandContext): Promise<number>;
