/**
 * What a call of a connection may do: every call with an action is judged by the `access.json` of its connection,
 * whichever tool makes it.
 */
export declare const guardAccess: import("@amodal/sdk").Plugin;
export default guardAccess;
