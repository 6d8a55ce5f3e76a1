import { type Message, type ToolContent } from '@amodal/sdk';
type ToolPart = Extract<Message, {
    role: 'tool';
}>['content'][number];
type Output = Extract<ToolPart, {
    type: 'tool-result';
}>['output'];
/**
 * A result with its images, as the model gets it: those that every provider reads, as what they really are. Providers
 * without images in results are given something else by their plugins.
 */
export declare function withImages(text: string, content?: readonly ToolContent[]): Output | undefined;
export {};
