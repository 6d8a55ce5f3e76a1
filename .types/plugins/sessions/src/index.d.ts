/**
 * The session journal in the database: lanes, entries and inboxes, committed in groups across sessions.
 *
 * @example
 * use(sessions, { instances: 'single' })
 */
export declare const sessions: import("@amodal/sdk").Plugin;
export default sessions;
