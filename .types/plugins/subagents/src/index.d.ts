/** Sub-agents: tasks that are worked on at the same time, each in a session of its own, for a summary. */
export declare const subagents: import("@amodal/sdk").Plugin;
export default subagents;
