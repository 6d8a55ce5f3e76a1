/** Store documents in this process's memory, for embedding and tests. */
export declare const storesMemory: import("@amodal/sdk").Plugin;
export default storesMemory;
