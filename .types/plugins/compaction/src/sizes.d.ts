import type { Message, ModelCall } from '@amodal/sdk';
export type ResultPart = Extract<Extract<Message, {
    role: 'tool';
}>['content'][number], {
    type: 'tool-result';
}>;
export declare const tokensOf: (chars: number) => number;
export declare const charsOf: (tokens: number) => number;
/** What the model reads of a result. */
export declare function resultText({ output }: ResultPart): string;
/** Tokens of a result: its text, and its images. */
export declare const resultTokens: (part: ResultPart) => number;
/** Tokens of a message, estimated from its characters. */
export declare function messageTokens(message: Message): number;
/** Arguments as JSON. */
export declare const inputText: (input: unknown) => string;
/** Tokens of what goes with every call. The list of tools is one object from turn to turn. */
export declare function overheadTokens(call: Pick<ModelCall, 'system' | 'tools'>): number;
