import type { Conversation } from './conversation.ts';
/** The sessions that were used last, and which one a person means. */
export declare class SessionList {
    #private;
    constructor(conversation: Conversation);
    /** A line for each, with the number that {@link find} knows it by. */
    lines(current: string | undefined): Promise<readonly string[]>;
    /** By a number of the list, by its id, or `latest`. */
    find(text: string): Promise<string | undefined>;
}
