/**
 * Gemini models, over Google's generateContent API.
 *
 * @example
 * // amodal.json
 * { "models": { "main": { "provider": "google", "model": "gemini-3.1-pro-preview" } } }
 */
export declare const modelGoogle: import("@amodal/sdk").Plugin;
export default modelGoogle;
