/** What the agent keeps from one conversation to the next: short notes, shown in every prompt of whose they are. */
export declare const memory: import("@amodal/sdk").Plugin;
export default memory;
