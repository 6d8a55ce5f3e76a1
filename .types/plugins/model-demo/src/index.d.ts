/**
 * The model of a first run: no key, no network, no intelligence. It serves where nothing else can,
 * and says so at the beginning of each session and in `/health`.
 */
export declare const modelDemo: import("@amodal/sdk").Plugin;
export default modelDemo;
