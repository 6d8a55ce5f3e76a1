/**
 * No writes before a person has approved a plan. A session is in plan mode by configuration, by a message that says
 * so, or because the model went there itself; it leaves with an approved plan.
 */
export declare const planMode: import("@amodal/sdk").Plugin;
export default planMode;
