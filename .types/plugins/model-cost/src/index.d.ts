/**
 * What model calls cost, and marks that make providers keep the beginning of a prompt.
 *
 * @example
 * use(modelCost, { prices: { 'ollama/qwen3': { input: 0, output: 0 } } })
 */
export declare const modelCost: import("@amodal/sdk").Plugin;
export default modelCost;
