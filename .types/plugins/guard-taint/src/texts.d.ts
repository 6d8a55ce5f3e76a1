import { type Json, type Message } from '@amodal/sdk';
type ToolPart = Extract<Extract<Message, {
    role: 'tool';
}>['content'][number], {
    type: 'tool-result';
}>;
/** The texts of a value with the names that they stand under, line by line: what somebody reads who reads the whole. */
export declare function textOf(value: Json): string;
/** What the model was told of a call. */
export declare function resultText({ output }: ToolPart): string;
/** What a person wrote. */
export declare function userText({ content }: Extract<Message, {
    role: 'user';
}>): string;
export {};
