/**
 * How much one principal may ask for: requests, messages, runs at the same time. `null` lifts a limit.
 *
 * @example
 * use(limits, { messages: { perMinute: 20 }, runs: { concurrent: 3 } })
 */
export declare const limits: import("@amodal/sdk").Plugin;
export default limits;
