import type { Conversation } from './conversation.ts';
import type { Screen } from './screen.ts';
/** Gives the next line a person types, or `undefined` once there are no more. */
export type ReadLine = () => Promise<string | undefined>;
/** How a turn came to its end for the person at the terminal. */
export type Outcome = 'done' | 'failed' | 'waits';
/** One session at the terminal. */
export declare class Talk {
    #private;
    session: string | undefined;
    constructor(conversation: Conversation, screen: Screen, read: ReadLine);
    say(text: string): Promise<Outcome>;
    /** Goes on with a session, and with the run that waits in it. */
    resume(session: string): Promise<Outcome>;
}
