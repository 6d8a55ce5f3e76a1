/**
 * The session journal in memory, for embedding and tests: nothing survives the process.
 *
 * @example
 * use(sessionsMemory, { maxSessions: 1_000 })
 */
export declare const sessionsMemory: import("@amodal/sdk").Plugin;
export default sessionsMemory;
