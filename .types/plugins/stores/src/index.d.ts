/** Typed document stores: tools for the agent, an API for people, documents through the StoreBackend slot. */
export declare const stores: import("@amodal/sdk").Plugin;
export default stores;
