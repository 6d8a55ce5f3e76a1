/** Compiles what the model sees, and shows it with `amodal inspect`. */
export declare const prompt: import("@amodal/sdk").Plugin;
export default prompt;
