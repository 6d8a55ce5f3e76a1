import type { CommandContext } from '@amodal/sdk';
/** Talks until the person has had enough, or until the one message of the command line is answered. */
export declare function chatting(context: CommandContext): Promise<number>;
