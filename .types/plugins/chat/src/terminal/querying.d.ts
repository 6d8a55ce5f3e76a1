import type { CommandContext } from '@amodal/sdk';
/** Asks one thing and shows what came of it. */
export declare function querying(context: CommandContext): Promise<number>;
