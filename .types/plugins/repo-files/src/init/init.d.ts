import { type CommandContext, type Generation } from '@amodal/sdk';
/** Makes the folder of an agent, and says what to do next. */
export declare function init(context: CommandContext, generation: Generation): Promise<number>;
