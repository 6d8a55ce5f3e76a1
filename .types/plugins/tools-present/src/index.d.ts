/** Shows widgets, ends a turn on purpose, and asks the person. */
export declare const toolsPresent: import("@amodal/sdk").Plugin;
export default toolsPresent;
