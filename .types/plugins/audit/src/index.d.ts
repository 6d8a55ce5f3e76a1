/**
 * Everything that matters, in a hash chain per tenant with signed checkpoints. Nothing is changed outside before its
 * line is kept: where the log cannot be written, calls that change something are refused.
 */
export declare const audit: import("@amodal/sdk").Plugin;
export default audit;
