import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
type ToolMessage = Extract<LanguageModelV4Message, {
    role: 'tool';
}>;
/**
 * The prompt for an endpoint whose results are texts only. Images of results follow in a message of their own, which says
 * where they are from.
 *
 * @param images `false`: a text says that there are some
 */
export declare function withoutResultImages(prompt: LanguageModelV4Prompt, images: boolean): LanguageModelV4Prompt;
/** Whether results of this message have images. */
export declare const hasImages: (message: LanguageModelV4Message) => message is ToolMessage;
export {};
