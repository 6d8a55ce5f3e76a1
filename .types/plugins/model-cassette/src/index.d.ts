/**
 * Records what models send, and replays it where there is no model: for evals and builds that cost nothing and come out
 * the same each time.
 *
 * @example
 * use(modelCassette, { mode: 'replay' }) // or by name in amodal.json, and then: AMODAL_CASSETTE=replay
 */
export declare const modelCassette: import("@amodal/sdk").Plugin;
export default modelCassette;
