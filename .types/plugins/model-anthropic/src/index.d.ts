/**
 * Claude models, over Anthropic's Messages API.
 *
 * @example
 * // amodal.json
 * { "models": { "main": { "provider": "anthropic", "model": "claude-sonnet-4-20250514" } } }
 */
export declare const modelAnthropic: import("@amodal/sdk").Plugin;
export default modelAnthropic;
