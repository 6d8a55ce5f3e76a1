/**
 * Ends runs that go round in circles: first the model is told, then the tool is
 * refused, then the run is over.
 *
 * @example
 * use(loopGuard, { stopAt: 6, progressEvery: 5 })
 */
export declare const loopGuard: import("@amodal/sdk").Plugin;
export default loopGuard;
