import type { CommandContext } from '@amodal/sdk';
/** Asks the person at the terminal. An answer is `undefined` once they have left. */
export declare class Answers {
    #private;
    constructor({ input, write }: Pick<CommandContext, 'input' | 'write'>);
    /** A line; `usual` where it is empty. */
    text(question: string, usual: string): Promise<string | undefined>;
    /** One of several, by its number or its name; the first where the line is empty. Asks again until it is one of them. */
    choice(question: string, choices: readonly (readonly [name: string, about: string])[]): Promise<string | undefined>;
}
