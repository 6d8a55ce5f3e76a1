import type { ModelProtocol } from './protocol.ts';
/**
 * Google's generateContent: a call comes in one piece, as an object. Source: the Gemini API reference,
 * "models.streamGenerateContent".
 */
export declare const generateContent: ModelProtocol;
