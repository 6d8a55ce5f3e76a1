/**
 * Chat-completions models, at any base URL and at the providers that are known by name.
 *
 * @example
 * // amodal.json
 * { "models": { "main": { "provider": "openai-compatible", "baseUrl": "http://127.0.0.1:11434/v1", "model": "qwen3" } } }
 */
export declare const modelOpenaiCompatible: import("@amodal/sdk").Plugin;
export default modelOpenaiCompatible;
