/**
 * OpenAI's models, over the Responses API.
 *
 * @example
 * // amodal.json
 * { "models": { "main": { "provider": "openai", "model": "gpt-4o" } } }
 */
export declare const modelOpenai: import("@amodal/sdk").Plugin;
export default modelOpenai;
