/**
 * Another model, or another account, where one fails; and patience where there is no other.
 *
 * @example
 * // amodal.json
 * { "models": { "main": { "provider": "openai", "model": "gpt-4o", "fallback": { "provider": "groq", "model": "llama-3.3-70b-versatile" } } } }
 */
export declare const modelFailover: import("@amodal/sdk").Plugin;
export default modelFailover;
