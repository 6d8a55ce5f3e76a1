/** Shows the agent its knowledge: all of it while it is small, else titles with a tool to read a document. */
export declare const knowledge: import("@amodal/sdk").Plugin;
export default knowledge;
