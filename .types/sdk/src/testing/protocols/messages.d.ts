import type { ModelProtocol } from './protocol.ts';
/**
 * Anthropic's messages. Source: its API reference, "Create a Message" and "Streaming messages".
 */
export declare const messages: ModelProtocol;
