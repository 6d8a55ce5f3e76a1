/**
 * Keeps conversations inside the window of their model: older tool outputs are masked, old messages become a structured
 * snapshot, and tools that are too many to list are found with `find_tools`.
 *
 * @example
 * use(compaction, { at: 0.7, tools: { budget: 10_000 } })
 */
export declare const compaction: import("@amodal/sdk").Plugin;
export default compaction;
