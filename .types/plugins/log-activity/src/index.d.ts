/** What the agent does, in the log: sessions, runs, calls of models and tools, writes of stores. Never what is said in them. */
export declare const logActivity: import("@amodal/sdk").Plugin;
export default logActivity;
