import type { ModelProtocol } from './protocol.ts';
/**
 * OpenAI's responses; it stores nothing, so a reference to an item is refused. Source: the OpenAI API reference,
 * "Create a model response" and "Streaming events".
 */
export declare const responses: ModelProtocol;
