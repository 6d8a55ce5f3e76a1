import { type JsonObject, type Message, type ModelReply, type StreamPart, type Thought } from '@amodal/sdk';
type AssistantPart = Extract<Message, {
    role: 'assistant';
}>['content'][number];
type ThoughtPart = Extract<AssistantPart, {
    type: 'reasoning';
}>;
type Options = NonNullable<ThoughtPart['providerOptions']>;
/**
 * Follows what a model thinks, block by block, for what its provider wants to see again with the history: signatures,
 * encrypted thoughts. Some refuse the results of a call without the thought that led to it.
 */
export declare class Thoughts {
    #private;
    take(part: StreamPart): void;
    /** Nothing where nobody asked for it, or where the text was changed on its way: a signature is of the very words. */
    kept(text: string): readonly Thought[] | undefined;
}
/** Options as they are kept: plain JSON, without what is undefined. */
export declare const optionsOf: (options: Options) => JsonObject;
/** A reply as it goes into the history, with what its provider wants back. */
export declare function assistantMessage({ text, calls, reasoning, thoughts, model }: ModelReply): Message;
/** The messages as a provider may see them: what another one has signed is of no use to it, and strict ones refuse it. */
export declare function messagesFor(provider: string, messages: readonly Message[]): readonly Message[];
export {};
