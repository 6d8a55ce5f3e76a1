/** Tells of what changes on the server, as it happens: sessions, stores, automations, the agent's files. */
export declare const events: import("@amodal/sdk").Plugin;
export default events;
