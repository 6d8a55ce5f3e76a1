import { type CommandContext } from '@amodal/sdk';
/** Writes the types of an agent, or says whether what is written is what would be. */
export declare function writeTypes({ dir, fail, options, print, program, signal, start, write }: CommandContext): Promise<number>;
