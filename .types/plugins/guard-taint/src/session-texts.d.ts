import { type Message } from '@amodal/sdk';
import { Requests } from './asked/requests.ts';
import { Corpus } from './corpus.ts';
/** Tools that give back the agent's own files or a fixed sentence. */
export declare const OWN: ReadonlySet<string>;
/** What comes with a person's message, and is theirs only where the configuration says so. */
export declare const TRUSTED: readonly ['images', 'files', 'context'];
export type Trusted = (typeof TRUSTED)[number];
/** Gives back what a person answered. */
export declare const ASK = "ask_user";
/**
 * What a conversation holds, by whose it is: read as it grows, and again from the beginning once its beginning is another
 * one. What the model says itself is nobody's.
 */
export declare class SessionTexts {
    #private;
    /** What people wrote. */
    person: Corpus;
    /** What came from outside. */
    outside: Corpus;
    /** What people asked for. */
    requests: Requests;
    /** @param delegated who wrote to a sub-agent is the model that called it */
    constructor(maxChars: number, delegated: boolean, trusted: ReadonlySet<Trusted>);
    /** @param identity names of what a front end says of who asks, where the agent's files go by it */
    follow(messages: readonly Message[], identity: ReadonlySet<string>): void;
}
