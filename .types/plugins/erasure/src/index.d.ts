/** Erases the content of a person: `amodal ops erase`. What there is to erase, each plugin that keeps it knows. */
export declare const erasure: import("@amodal/sdk").Plugin;
export default erasure;
