export { Rewire, type Rewiring } from './tokens.ts';
/** Takes edits of the agent's files over while it runs: the next turn has them. */
export declare const repoWatch: import("@amodal/sdk").Plugin;
export default repoWatch;
