/**
 * The rules of approvals: how long a question waits, and whose answer counts.
 * Asking, keeping and running what was approved is the loop's, which asks here.
 */
export declare const confirmations: import("@amodal/sdk").Plugin;
export default confirmations;
